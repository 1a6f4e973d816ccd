export * from './catalogue.ts'
export * from './context.ts'
export * from './engine-status.ts'
export * from './event.ts'
export * from './observation.ts'
export {
  type ApprovalStep,
  type QuestionStep,
  type RunStep,
  runSteps,
  StepFold,
  type TextStep,
  type ToolStep,
} from './run-steps.ts'
export * from './span.ts'
export * from './status.ts'
export * from './stopping.ts'
export * from './store.ts'
export * from './subscriber.ts'
export * from './trace.ts'
export * from './values.ts'

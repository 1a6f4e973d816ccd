export { compare } from './compare.ts'
export { type EvalRow, isJudged, readDataset, requireNames } from './dataset.ts'
export { EvaluationStopped, evaluate } from './evaluate.ts'
export { differenceIn, figuresOf } from './figures.ts'
export { htmlReport } from './html-report.ts'
export { type Journal, noJournal, openJournal } from './journal.ts'
export {
  assembleExperiments,
  experimentOf,
  type LangfuseExperiments,
  type ReportedExperiment,
} from './langfuse.ts'
export { type Comparison, type EvalReport, evalReport, isFailure, type RowScore } from './report.ts'
export { summarise } from './summarise.ts'

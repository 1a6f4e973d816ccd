/** `quaero/eval`: asks the questions of a dataset and judges the answers. */
export { type EvalRow, isJudged, readDataset, requireNames } from './dataset.ts'
export { EvaluationStopped, evaluate } from './evaluate.ts'
export { changesOf, differenceIn, figuresOf } from './figures.ts'
export { type Journal, noJournal, openJournal } from './journal.ts'
export { assembleExperiments, beginExperiment, type EvalExperiment, type LangfuseExperiments } from './langfuse.ts'
export { type Comparison, type EvalReport, evalReport, isFailure, type RowScore } from './report.ts'
export { compare, summarise } from './summarise.ts'

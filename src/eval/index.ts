/** `quaero/eval`: asks the questions of a dataset and judges the answers. */

/** What changed between two reports. */
export { compare } from './compare.ts'
/** Reads a dataset, and checks that every document it names is in the library. */
export { type EvalRow, isJudged, readDataset, requireNames } from './dataset.ts'
/** Asks the questions and judges each answer. */
export { EvaluationStopped, evaluate } from './evaluate.ts'
/** The figures of a summary, and the difference of two. */
export { differenceIn, figuresOf } from './figures.ts'
/** A report as one HTML page. */
export { htmlReport } from './html-report.ts'
/** Where an evaluation keeps the rows it has judged, so that it can be resumed. */
export { type Journal, noJournal, openJournal } from './journal.ts'
/** An evaluation as an experiment in Langfuse. */
export { assembleExperiments, experimentOf, type LangfuseExperiments, type ReportedExperiment } from './langfuse.ts'
/** The report: its schema, its rows and what counts as a failure. */
export { type Comparison, type EvalReport, evalReport, isFailure, type RowScore } from './report.ts'
/** The summary of judged rows. */
export { summarise } from './summarise.ts'

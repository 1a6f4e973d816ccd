// Claims: the sentences of answers with what they rest on, looked up again, arranged in tables, exported with their proof.

export { callModel, type ModelCallOptions } from './asking/call-model.ts'
export { type Audit, type AuditedSentence, audit } from './audit/audit.ts'
export { type AuditRequest, auditText } from './audit/audit-text.ts'
export { type Claim, type ClaimQuote, claim, claimQuote } from './cards/claim.ts'
export { type ClaimFilter, type ClaimPage, type Claims, claimsOf } from './cards/claims.ts'
export { asFallen, fallenBy } from './cards/fallen.ts'
export type { ClaimStanding, LookedUp } from './cards/standing.ts'
export { type AnswerWithout, withoutDocument } from './cards/without.ts'
export {
  type ReportFormat,
  referencesFile,
  reportFile,
  reportFormats,
} from './export/report-files.ts'
export { type TableFormat, tableFile, tableFormats } from './export/table-files.ts'
export { formatOutline, type Outline, outline, parseOutline } from './report/outline.ts'
export { type Report, type ReportSection, report } from './report/report.ts'
export type { ReportAskerFrom, ReportRequest, ReportStep, ReportWork } from './report/request.ts'
export { writeReport } from './report/write-report.ts'
export {
  type CellAskerFrom,
  type FilledCell,
  fillTable,
  type TablePlan,
  type TableRequest,
  type TableWork,
} from './table/fill-table.ts'
export type { ColumnForm } from './table/form.ts'
export { readQuestions } from './table/read-questions.ts'
export { type AnswerCell, type QuestionColumn, type Table, table } from './table/table.ts'
export { type VerifiedFile, verifyFile } from './verify/verify-file.ts'

import { ReportView } from './report-view.tsx'
import { TableView } from './table-view.tsx'

/** What is loaded when a table or a report is first shown: one file, since they share most of it. */
export const views = { table: TableView, report: ReportView }

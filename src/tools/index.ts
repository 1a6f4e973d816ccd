// Tools, and how the library is searched by one.

export { callTool, type ToolFacts } from './call-tool.ts'
export { delegate, delegateTool } from './delegate.ts'
export { documentOverview } from './document-overview.ts'
export { libraryReading, librarySearch, observationAt } from './library-search.ts'
export { formatObservations, nearestPart, wordCoverage } from './observations.ts'
export { guardOutgoing } from './outgoing.ts'
export { pdfRetrieval } from './pdf-retrieval.ts'
export { readPassages } from './read-passages.ts'
export { defineTool, type Tool, type ToolContext } from './tool.ts'
export { Toolbox } from './toolbox.ts'

export { serveMcp } from './mcp/serve-mcp.ts'
export { serve, userFolders } from './serve.ts'

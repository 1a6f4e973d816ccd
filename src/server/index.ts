export { serveMcp } from './mcp/serve-mcp.ts'
export { serve } from './serve.ts'

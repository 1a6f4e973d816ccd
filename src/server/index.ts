export { serveMcp } from './mcp/serve-mcp.ts'
export { type QuaeroServer, type ServeOptions, serve } from './serve.ts'

export { type QuaeroServer, type ServeOptions, serve } from './serve.ts'

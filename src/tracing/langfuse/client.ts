import { LangfuseClient } from '@langfuse/client'
import type { LangfuseAccess } from './access.ts'

/** Langfuse's REST API; every call of it takes `bounded(…)` as its last argument. */
export type LangfuseApi = LangfuseClient['api']

/** Opens no connection: each call makes its own. Loads the client, so it is imported only by those who have keys. */
export function openLangfuse(access: LangfuseAccess): LangfuseApi {
  return new LangfuseClient({ ...access }).api
}

/** How a call is made: once, and given up after `timeoutMs`, its body included; by itself the client tries for minutes. */
export function bounded(timeoutMs: number, signal?: AbortSignal) {
  const late = AbortSignal.timeout(timeoutMs)
  return {
    maxRetries: 0,
    timeoutInSeconds: timeoutMs / 1000,
    abortSignal: signal ? AbortSignal.any([signal, late]) : late,
  }
}

/** The exit codes that scripts rely on. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  limitReached: 3,
  requiresAction: 4,
  threadBusy: 5,
  configuration: 78,
  interrupted: 130,
} as const

/** The exit code of a run that has ended or waits. */
export function exitCodeOfRun(run: {
  readonly status: string
  readonly error?: { readonly code: string } | null
}): number {
  if (run.status === 'failed') return exitCodeOfError(run.error?.code)
  return codeOfStatus.get(run.status) ?? exitCodes.failed
}

/** The exit code of an error with this stable code. */
export function exitCodeOfError(code: string | undefined): number {
  return (code && codeOfError.get(code)) || exitCodes.failed
}

const codeOfStatus: ReadonlyMap<string, number> = new Map([
  ['completed', exitCodes.ok],
  ['clarification_needed', exitCodes.ok],
  ['limit_reached', exitCodes.limitReached],
  ['requires_action', exitCodes.requiresAction],
  ['interrupted', exitCodes.interrupted],
  ['cancelled', exitCodes.interrupted],
])

const codeOfError: ReadonlyMap<string, number> = new Map([
  ['usage', exitCodes.usage],
  ['no_documents', exitCodes.usage],
  ['nothing_matches', exitCodes.usage],
  ['filter_invalid', exitCodes.usage],
  ['path_not_found', exitCodes.usage],
  ['invalid_id', exitCodes.usage],
  ['score_invalid', exitCodes.usage],
  ['already_exists', exitCodes.usage],
  ['idempotency_key_reused', exitCodes.usage],
  ['import_invalid', exitCodes.usage],
  ['document_ambiguous', exitCodes.usage],
  ['unknown_tool', exitCodes.usage],
  ['invalid_tool_input', exitCodes.usage],
  ['limit_reached', exitCodes.limitReached],
  ['approval_required', exitCodes.requiresAction],
  ['thread_busy', exitCodes.threadBusy],
  ['config_invalid', exitCodes.configuration],
  ['prompt_invalid', exitCodes.configuration],
  ['key_rejected', exitCodes.configuration],
  ['langfuse_key_rejected', exitCodes.configuration],
  ['model_not_found', exitCodes.configuration],
])

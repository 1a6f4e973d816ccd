/** The result of one check. */
export interface EndpointFinding {
  readonly name: string
  /** False where no answers are possible. */
  readonly ok: boolean
  /** Answers are possible, but worse or later. */
  readonly warning?: boolean
  /** What was found: the host, the cause and the remedy, where something is wrong. */
  readonly message: string
}

export function fine(name: string, message: string): EndpointFinding {
  return { name, ok: true, message }
}

export function fault(name: string, message: string): EndpointFinding {
  return { name, ok: false, message }
}

export function warning(message: string): Pick<EndpointFinding, 'warning' | 'message'> {
  return { warning: true, message }
}

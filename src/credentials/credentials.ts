import { type Redact, redactor } from '../redact.ts'
import { type CredentialSources, credentialsIn } from './configured.ts'
import type { StreamRedactor } from './held-back.ts'
import { type Mask, maskedPieces, masker } from './mask.ts'

/** What keeps credentials where they belong, in two strengths. */
export interface Credentials {
  /** For what leaves or is shown: takes out the configured ones, and whatever is shaped like one. */
  readonly hide: Redact
  /** For what is kept: takes out the configured ones, and leaves a person's own text as it was written. */
  readonly mask: Mask
  /** The same for a text that comes in pieces. */
  readonly maskedPieces: () => StreamRedactor
}

/** Knows the credentials of a configuration. */
export function credentialsOf(sources: CredentialSources): Credentials {
  const secrets = credentialsIn(sources)
  return { hide: redactor(secrets), mask: masker(secrets), maskedPieces: () => maskedPieces(secrets) }
}

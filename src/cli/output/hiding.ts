import { loadConfig, readEnvironment } from '../../config.ts'
import { type CredentialSources, credentialsOf } from '../../credentials/credentials.ts'
import type { Redact } from '../../redact.ts'

/**
 * Hides what the environment of this process and the settings hold of credentials, and what is shaped like one. Settings
 * that cannot be read have none; that they cannot be read is told where they are needed.
 */
export function configuredHide(file?: string): Redact {
  return credentialsOf(configOf(file)).hide
}

/** The file that the words of a command line name for settings. */
export function configFileIn(argv: readonly string[]): string | undefined {
  const at = argv.findLastIndex((word) => word === '--config' || word.startsWith('--config='))
  const word = argv[at]
  return word === '--config' ? argv[at + 1] : word?.slice('--config='.length)
}

function configOf(file: string | undefined): CredentialSources {
  try {
    return loadConfig(file ? { file } : {})
  } catch {
    return { environment: readEnvironment() }
  }
}

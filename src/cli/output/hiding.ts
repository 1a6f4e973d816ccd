import { loadConfig, readEnvironment } from '../../config.ts'
import { type CredentialSources, credentialsOf } from '../../credentials/credentials.ts'
import type { Redact } from '../../redact.ts'

/** Hides known credentials and text shaped like one. Settings that cannot be read are reported elsewhere. */
export function configuredHide(file?: string): Redact {
  return credentialsOf(configOf(file)).hide
}

/** The settings file that a command line names, or the environment. */
export function configFileIn(argv: readonly string[]): string | undefined {
  const at = argv.findLastIndex((word) => word === '--config' || word.startsWith('--config='))
  const word = argv[at]
  return (
    (word === '--config' ? argv[at + 1] : word?.slice('--config='.length)) ||
    (readEnvironment().configFile ?? undefined)
  )
}

function configOf(file: string | undefined): CredentialSources {
  try {
    return loadConfig(file ? { file } : {})
  } catch {
    return { environment: readEnvironment() }
  }
}

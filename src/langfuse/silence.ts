import { configureGlobalLogger, LogLevel } from '@langfuse/core'

/**
 * Keeps Langfuse's packages from writing to the console. At the wish of LANGFUSE_DEBUG or LANGFUSE_LOG_LEVEL they print
 * keys, and spans before they are redacted, into the output of a command; what goes wrong is told of by notices.
 */
export function silenceLangfuse(): void {
  configureGlobalLogger({ level: LogLevel.NONE })
}

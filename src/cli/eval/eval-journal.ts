import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { credentialsOf } from '../../credentials/credentials.ts'
import { type EvalRow, type Journal, noJournal, openJournal } from '../../eval/index.ts'
import { type Config, promptsOf, type Quaero } from '../../index.ts'
import { promptPath } from '../../prompts.ts'
import { redactAll } from '../../redact.ts'
import { limitsOf, type RunFlags } from '../shared/run-to-end.ts'

interface Evaluation {
  readonly quaero: Pick<Quaero, 'report' | 'status' | 'library'>
  readonly config: Config
  readonly rows: readonly EvalRow[]
  /** What all questions are limited to; absent for the whole library. */
  readonly documentIds: readonly string[] | undefined
  readonly flags: RunFlags & { readonly model?: string | undefined }
}

/** The journal of exactly this evaluation, beside the database; what keeps nothing keeps no journal either. */
export async function journalOf(evaluation: Evaluation): Promise<Journal> {
  const { path } = await evaluation.quaero.report()
  return path === ':memory:' ? noJournal : openJournal(join(dirname(path), 'evals'), await identityOf(evaluation))
}

/** All that answers depend on: another model, setting, prompt or document is another evaluation. No credentials. */
async function identityOf({ quaero, config, rows, documentIds, flags }: Evaluation): Promise<readonly unknown[]> {
  const { settings, environment } = config
  const { openaiBaseUrl, searxngUrl, tavilyApiKey, model } = environment
  const surroundings = { settings, openaiBaseUrl, searxngUrl, hasTavily: tavilyApiKey !== null, model }
  const models = quaero.status().steps.find(({ step }) => step === 'models')?.detail ?? null
  const searched = documentIds ?? (await quaero.library.list()).map(({ documentId }) => documentId)
  return [
    rows,
    [flags.model ?? null, models],
    limitsOf(flags),
    redactAll(surroundings, credentialsOf(config).hide),
    await promptsIn(config),
    [documentIds !== undefined, [...searched].sort()],
  ]
}

/** The texts of the prompts, and of those that Langfuse has in their place the version. */
async function promptsIn(config: Config): Promise<readonly unknown[]> {
  const named = await promptsOf(config).list()
  const paths = [...named.map(({ path }) => path), promptPath('summarise', config.settings.promptsDir)]
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')))
  return [texts, named.map(({ langfuseVersion }) => langfuseVersion)]
}

import { Option } from 'commander'
import { ConfigInvalid, QuaeroError } from '../../errors.ts'
import type { EndpointFinding as Check, Config, Quaero, Queue, StorageReport } from '../../index.ts'
import type { CommandModule, CommonFlags, Workplace } from '../command/command.ts'
import { dataDirOf, jsonOption, packageVersion } from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { formatFindings } from '../output/table.ts'
import { print, printJson } from '../output/terminal.ts'
import { withoutUserInfo } from './config-show.ts'
import { noWorkers } from './queue.ts'

interface DoctorFlags {
  readonly verify?: boolean | undefined
  readonly offline?: boolean | undefined
}

export const doctor: CommandModule<DoctorFlags> = {
  name: 'doctor',
  description:
    'check the installation\n' +
    'send the model three small requests, which cost tokens\n' +
    'examine the model that reads answers a second time, once, in one request\n' +
    'exit with 1 if something is wrong',
  options: [
    new Option('--offline', 'send nothing to any endpoint'),
    new Option('--verify', 'also check every run and thread against its log; takes longer'),
    jsonOption(),
  ],
  examples: ['doctor', 'doctor --offline --verify', 'doctor --data-dir ./library --json'],
  async run({ open, config: configOf, input: { signal }, output }, flags) {
    const { checkReader, checkTracing, scanProgram, scanRemedy } = await import('../../index.ts')
    const config = configOf()
    const dataDir = dataDirOf(config, flags.dataDir)
    const storage = await inspectStorage(open, placeOf(config, flags))
    const models = storage.modelCheck ? [storage.modelCheck] : await checkModels(config, flags, signal)
    const { library } = config.settings
    const scans = scanProgram(library)
    const isAnswering = models.every((check) => check.ok)
    const checks = [
      { name: 'quaero', ok: true, message: `${packageVersion()} on Node ${process.versions.node}` },
      storage.check,
      ...(storage.quaero ? [describeStart(storage.quaero)] : []),
      ...(storage.quaero?.queue ? [await describeQueue(storage.quaero.queue)] : []),
      ...(flags.verify && storage.check.ok ? [await verifyLogs(open)] : []),
      ...models,
      ...(isAnswering ? await checkReader(config, { dataDir, signal, offline: flags.offline }) : []),
      ...(storage.quaero ? [await checkEmbeddings(storage.quaero, flags, signal)] : []),
      ...(await checkTracing(config, { signal, offline: flags.offline })),
      {
        name: 'scans',
        ok: true,
        message: scans ? `read by ${scans}, pictures too` : `not read. ${scanRemedy(library)}`,
      },
      checkWebSearch(config),
    ]
    const ok = checks.every((check) => check.ok)
    if (flags.json) printJson(output, { ok, checks, storage: storage.report })
    else print(output, formatFindings(['', 'Check', 'Finding'], checks.map(rowOf), output.width))
    return ok ? exitCodes.ok : exitCodes.failed
  },
}

interface Inspected {
  readonly check: Check
  readonly report: StorageReport | null
  readonly modelCheck: Check | null
  /** null if the storage cannot be opened. */
  readonly quaero: Quaero | null
}

async function inspectStorage(open: Workplace['open'], place: string): Promise<Inspected> {
  let modelCheck: Check | null = null
  const withoutModel = (error: unknown) => {
    if (!(error instanceof ConfigInvalid)) throw error
    // The settings could be read, so the model is wrong; the database can be checked without it.
    modelCheck = { name: 'model', ok: false, message: error.message }
    return open('extractive')
  }
  try {
    const quaero = await open().catch(withoutModel)
    const report = await quaero.report()
    const rows = Object.entries(report.rows).map(([table, count]) => `${count} ${table}`)
    const size = `${Math.ceil(report.bytes / 1024)} KB, schema ${report.schemaVersion}`
    const damage = damageIn(report)
    const message = `${report.path}: ${size}, integrity ${report.integrity}; ${[...rows, ...damage].join(', ')}`
    const ok = report.integrity === 'ok' && damage.length === 0
    return { check: { name: 'storage', ok, message }, report, modelCheck, quaero }
  } catch (error) {
    const check = { name: 'storage', ok: false, message: `${place}: ${messageOf(error)}` }
    return { check, report: null, modelCheck, quaero: null }
  }
}

/** Where the data is, for people. */
function placeOf(config: Config, { dataDir }: CommonFlags): string {
  const folder = dataDirOf(config, dataDir)
  return config.settings.storage === null || folder === ':memory:' ? folder : withoutUserInfo(config.settings.storage)
}

/** What is to be done about pages whose text has changed since it was stored. */
function damageIn({ damagedPages: pages = [] }: StorageReport): readonly string[] {
  if (pages.length === 0) return []
  const [first] = pages
  const which = `${pages.length} damaged pages, the first of them page ${first?.page} of ${first?.documentId}`
  return [`${which}; read their files again with "quaero add --repair <files or folders>"`]
}

function describeStart(quaero: Quaero): Check {
  const { state, steps } = quaero.status()
  const took = steps.map(({ step, durationMs, detail }) => `${step} ${durationMs} ms${detail ? ` (${detail})` : ''}`)
  return { name: 'start', ok: state === 'ready', message: [state, ...took].join(', ') }
}

/** Without workers questions wait only where they are put into the queue. */
async function describeQueue(queue: Queue): Promise<Check> {
  const { waiting, working, workers } = await queue.figures()
  const figures = `${waiting} waiting, ${working} at work, ${workers} workers`
  if (workers > 0 || waiting === 0) return { name: 'queue', ok: true, message: figures }
  return { name: 'queue', ok: false, message: `${figures}. ${noWorkers}` }
}

const mostShown = 5

async function verifyLogs(open: Workplace['open']): Promise<Check> {
  const { threads, runs, events, discrepancies } = await (await open('extractive')).verify()
  const counted = `threads: ${threads}, runs: ${runs}, events: ${events}`
  if (discrepancies.length === 0) return { name: 'logs', ok: true, message: `${counted}: each agrees with its log` }
  const shown = discrepancies.slice(0, mostShown).map(({ about, problem }) => `${about}: ${problem}`)
  const more = discrepancies.length - shown.length
  return { name: 'logs', ok: false, message: [counted, ...shown, ...(more > 0 ? [`${more} more`] : [])].join('; ') }
}

async function checkModels(config: Config, { offline }: DoctorFlags, signal: AbortSignal): Promise<readonly Check[]> {
  if (offline) return [{ name: 'endpoint', ok: true, message: 'not asked (--offline)' }]
  const { checkEndpoint } = await import('../../index.ts')
  try {
    const found = await checkEndpoint(config, { signal })
    if (found.length > 0) return found
    return [{ name: 'model', ok: true, message: 'extractive: answers are quoted from the documents, with no model' }]
  } catch (error) {
    return [{ name: 'endpoint', ok: false, message: messageOf(error) }]
  }
}

const endpointTimeoutMs = 5000

/** Counts the passages with vectors, and embeds one word as a test. */
async function checkEmbeddings({ library }: Quaero, { offline }: DoctorFlags, signal: AbortSignal): Promise<Check> {
  const name = 'embeddings'
  const within = AbortSignal.any([signal, AbortSignal.timeout(endpointTimeoutMs)])
  try {
    const status = await library.embeddings({ ask: !offline, signal: within })
    if (!status) return { name, ok: true, message: 'off: set search.embeddings.model to search by meaning too' }
    const { model, dimensions, passages, embedded, problem } = status
    const space = dimensions === null ? model : `${model}, ${dimensions} dimensions`
    const remedy = embedded < passages ? '; run "quaero library embed" for the rest' : ''
    const message = `${embedded} of ${passages} passages have vectors (${space})${remedy}`
    return { name, ok: problem === null, message: problem ? `${message}; ${problem.message}` : message }
  } catch (error) {
    const isLate = within.aborted && !signal.aborted
    const message = isLate ? `the endpoint did not answer within ${endpointTimeoutMs / 1000} s` : messageOf(error)
    return { name, ok: false, message }
  }
}

function checkWebSearch({ settings: { tools }, environment }: Config): Check {
  const service = environment.tavilyApiKey
    ? 'Tavily'
    : environment.searxngUrl && withoutUserInfo(environment.searxngUrl)
  const name = 'web search'
  if (!service) return { name, ok: true, message: 'off: set TAVILY_API_KEY or SEARXNG_URL to offer it' }
  const asks = tools.trust !== 'open' && !tools.allow.includes('web_search')
  const note = asks
    ? '; asks a person first while the library holds documents, unless tools.allow names web_search'
    : ''
  return { name, ok: true, message: `${service}${note}` }
}

/** A finding as a row of a table. */
export function rowOf({ ok, warning, name, message }: Check): readonly string[] {
  return [ok ? (warning ? 'note' : 'ok') : 'FAULT', name, message]
}

/** For a failed connection, the cause says more than the error itself, unless the error is our own. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof QuaeroError) return error.message
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  return cause.message || ('code' in cause ? String(cause.code) : error.message)
}

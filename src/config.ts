import { extname, join } from 'node:path'
import { z } from 'zod'
import { ConfigInvalid } from './errors.ts'
import { problemsIn } from './options.ts'
import { isTree, readYaml, type Tree } from './yaml.ts'

const positive = z.number().positive()
/** A timer cannot wait much longer: 2³¹ milliseconds, about 24 days. */
const seconds = positive.max(2_000_000)
const whole = z.number().int().positive()
const share = z.number().min(0).max(1)

/** A tag of documents. */
export const tagText = z
  .string()
  .trim()
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._:/+-]{0,63}$/u,
    'a tag has 1 to 64 letters, digits, spaces and . _ : / + -, and begins with a letter or digit',
  )

const names = z.array(z.string().min(1))

const agentSettings = z.strictObject({
  model: z.string().nullable(),
  temperature: z.number().min(0).max(2).nullable(),
  maxHistory: whole,
  prompt: z.string(),
})

const readingSettings = agentSettings.omit({ maxHistory: true })

const specialistSettings = z.strictObject({
  description: z.string().trim().min(1),
  prompt: z.string().default('specialist'),
  tools: z.array(z.string()).nullable().default(null),
  model: z.string().nullable().default(null),
  temperature: z.number().min(0).max(2).nullable().default(0),
})

/** Names that no specialist may have, since the log shows specialists like agents. */
const agentNames = ['orchestrator', 'clarification', 'research', 'synthesis']
const specialistName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'a name is a letter, then up to 63 letters, digits, _ and -')
  .refine((name) => !agentNames.includes(name), 'an agent of the workflow has this name')

const embeddings = z.strictObject({
  model: z.string().min(1).nullable(),
  baseUrl: z.string().nullable(),
  dimensions: whole.nullable(),
  batch: whole.max(2048),
  encoding: z.enum(['float', 'base64']),
  passagePrefix: z.string(),
  queryPrefix: z.string(),
  queryTimeoutSeconds: seconds,
})

const reranker = z.strictObject({
  baseUrl: z.string().nullable(),
  model: z.string().min(1).nullable(),
  passages: whole,
  timeoutSeconds: seconds,
})

/** Every setting; `config/default.yaml` holds the value and the meaning of each. Unknown keys are refused by name. */
export const settings = z.strictObject({
  model: z.string().nullable(),
  dataDir: z.string(),
  storage: z
    .string()
    .regex(/^postgres(?:ql)?:\/\/./, 'write null, or the address of a database: postgres://host:port/database')
    .nullable(),
  promptsDir: z.string().nullable(),
  agents: z.strictObject({
    orchestrator: agentSettings,
    clarification: agentSettings,
    research: agentSettings,
    synthesis: agentSettings,
    secondReading: readingSettings,
  }),
  specialists: z.record(specialistName, specialistSettings),
  delegation: z.strictObject({ maxDepth: z.number().int().nonnegative(), maxPerRun: z.number().int().nonnegative() }),
  langfuse: z.strictObject({
    promptLabel: z.string().trim().min(1).nullable(),
    promptPrefix: z.string(),
    promptCacheSeconds: seconds,
    promptWaitSeconds: seconds,
  }),
  research: z.enum(['auto', 'thorough']),
  quick: z.strictObject({
    skipRouting: z.boolean(),
    strongScore: z.number().min(0),
    passages: whole,
    scoreShare: share,
    firstTokens: whole,
    evidenceTokens: whole,
  }),
  clarification: z.strictObject({
    ask: z.enum(['auto', 'never', 'always']),
    maxInARow: z.number().int().nonnegative(),
    documentGap: share,
  }),
  thread: z.strictObject({ messageWindow: whole, whenBusy: z.enum(['refuse', 'wait']), waitSeconds: seconds }),
  history: z.strictObject({
    summariseAtPercent: z.number().min(1).max(100).nullable(),
    keepMessages: whole,
    summaryCharacters: whole,
  }),
  limits: z.strictObject({
    modelCalls: whole.nullable(),
    rounds: whole.nullable(),
    toolCalls: whole.nullable(),
    tokens: whole.nullable(),
    costUsd: positive.nullable(),
    wallClockSeconds: seconds.nullable(),
  }),
  endpoint: z.strictObject({
    baseUrl: z.string().nullable(),
    retries: z.number().int().nonnegative(),
    retryBudgetSeconds: seconds,
    headersTimeoutSeconds: seconds,
    idleTimeoutSeconds: seconds,
    maxAnswerMegabytes: positive,
    toolCalling: z.enum(['auto', 'off']),
    structuredOutput: z.enum(['auto', 'off']),
  }),
  prices: z.record(
    z.string(),
    z.strictObject({
      input: z.number().nonnegative(),
      output: z.number().nonnegative(),
      contextWindow: whole.nullable(),
    }),
  ),
  tools: z.strictObject({
    trust: z.enum(['open', 'careful', 'strict']),
    allow: z.array(z.string().min(1)),
    timeoutSeconds: seconds,
    observationCharacters: whole,
  }),
  search: z.strictObject({ passages: whole, evidenceTokens: whole, embeddings, reranker }),
  answer: z.strictObject({
    abstainBelow: share,
    noteBelow: share,
    repair: z.boolean(),
    secondReading: z.enum(['never', 'doubtful']),
    readerMark: z.number().int().min(0).max(40),
  }),
  library: z.strictObject({
    readers: whole,
    secondsPerFile: seconds,
    megabytesPerFile: positive,
    memoryMegabytes: z.number().min(64),
    textMegabytes: positive,
    pagesPerFile: whole,
    maxFiles: whole,
    pictures: z.boolean(),
    scanLanguages: z
      .array(z.string().regex(/^[A-Za-z]{3,}(?:_[A-Za-z]+)*$/, 'a language is named as in eng or chi_sim'))
      .min(1),
    tags: z.record(z.string(), z.array(tagText)),
  }),
  web: z.strictObject({ maxResults: whole.max(5), secondsPerFetch: seconds, megabytesPerFetch: positive }),
  sessionLogs: z.strictObject({ text: z.boolean(), yaml: z.boolean(), folder: z.string().min(1).nullable() }),
  server: z.strictObject({
    hosts: z.array(z.string().min(1)),
    origins: z.array(z.string().min(1)),
    runsPerUser: whole,
    runs: whole,
    requestsPerUser: whole,
    requests: whole,
    unaskedThreadsPerUser: whole,
    library: z.enum(['shared', 'own']),
    openLibraries: whole,
    collections: z.record(tagText, z.strictObject({ read: names.default([]), write: names.default([]) })),
    groups: z.record(z.string(), names),
    uploads: z.strictObject({ files: whole, fileMegabytes: positive, megabytes: positive }),
  }),
  queue: z.strictObject({
    runs: whole.nullable(),
    runsPerUser: whole.nullable(),
    runsPerMinute: whole.nullable(),
    runsPerMinutePerUser: whole.nullable(),
    waitingPerUser: whole.nullable(),
    drainSeconds: seconds,
  }),
  shutdown: z.strictObject({ deadlineSeconds: seconds }),
})

export type Settings = z.output<typeof settings>
/** Who has a model of its own. */
export type ModelUser = keyof Settings['agents']
export type AgentName = Exclude<ModelUser, 'secondReading'>

/** Keys and addresses from environment variables, which never belong in a file. */
export type Environment = Readonly<ReturnType<typeof readEnvironment>>

export interface Config {
  readonly settings: Settings
  readonly environment: Environment
}

/** A part of the settings, to any depth. `answer.secondReading` may be the model that reads alone. */
export type SettingsOverrides = {
  readonly [K in keyof Settings]?: K extends 'answer' ? AnswerOverrides : DeepPartial<Settings[K]>
}
type AnswerOverrides = DeepPartial<Omit<Settings['answer'], 'secondReading'>> & {
  readonly secondReading?: Settings['answer']['secondReading'] | { readonly model: string }
}
type DeepPartial<T> = T extends object ? { readonly [K in keyof T]?: DeepPartial<T[K]> } : T

/**
 * Reads `config/default.yaml`, lays the environment's settings, the named file and then `overrides` over it, and checks the
 * whole.
 * Throws `ConfigInvalid` with the file and the key.
 */
export function loadConfig(
  options: {
    readonly file?: string
    readonly overrides?: SettingsOverrides
    readonly env?: Readonly<Record<string, string | undefined>>
  } = {},
): Config {
  const defaults = readYaml(join(packageRoot(), 'config', 'default.yaml'))
  const environment = readEnvironment(options.env)
  const { research, secondReading, databaseUrl: storage } = environment
  const fromEnvironment = {
    ...(research !== null && { research }),
    ...(storage !== null && { storage }),
    ...(secondReading !== null && { answer: { secondReading } }),
  }
  const file = options.file ? withNamedModels(readYaml(options.file)) : {}
  const merged = merge(merge(merge(defaults, fromEnvironment), file), options.overrides ?? {})
  const parsed = settings.safeParse(withNamedReader(merged))
  if (!parsed.success) {
    throw new ConfigInvalid(
      `${options.file ?? 'The configuration'} is not valid: ${problemsIn(parsed.error)}. "quaero config show" prints every setting.`,
    )
  }
  return deepFreeze({ settings: parsed.data, environment })
}

/** `search.embeddings: local:<folder>`, or another name, stands for `{ model: … }`, and so for the reranker. */
function withNamedModels(given: Tree): Tree {
  if (!isTree(given.search)) return given
  const named = (['embeddings', 'reranker'] as const).flatMap((key) => {
    const model = isTree(given.search) ? given.search[key] : null
    return typeof model === 'string' ? [[key, { model }]] : []
  })
  return merge(given, { search: Object.fromEntries(named) })
}

const namedReader = z.object({ answer: z.object({ secondReading: z.strictObject({ model: z.string() }) }) })

/** `answer.secondReading: { model: … }` stands for `doubtful`, read by this model. */
function withNamedReader(given: Tree): Tree {
  const { data } = namedReader.safeParse(given)
  if (!data) return given
  return merge(given, { answer: { secondReading: 'doubtful' }, agents: { secondReading: data.answer.secondReading } })
}

/** The folder that holds `prompts/` and `config/`, in a checkout and in an installed package. */
export function packageRoot(): string {
  return join(import.meta.dirname, '..')
}

/** An environment for other programs: where they find programs, and no keys. */
export function bareEnvironment(): Readonly<Record<string, string>> {
  return { PATH: process.env.PATH ?? '' }
}

/**
 * A file of this program that runs as a process of its own, by its path below `src` without its extension: TypeScript
 * in a checkout, JavaScript once it is built.
 */
export function programFile(path: string): string {
  return join(import.meta.dirname, `${path}${extname(import.meta.filename)}`)
}

/** Reads the environment variables; an empty one counts as absent. */
export function readEnvironment(env: Readonly<Record<string, string | undefined>> = process.env) {
  const read = (name: string) => env[name]?.trim() || null
  return {
    openaiApiKey: read('OPENAI_API_KEY'),
    openaiBaseUrl: read('OPENAI_BASE_URL'),
    model: read('QUAERO_MODEL'),
    research: read('QUAERO_RESEARCH'),
    secondReading: read('QUAERO_SECOND_READING'),
    serverToken: read('QUAERO_TOKEN'),
    /** The settings file that commands read where none is named. */
    configFile: read('QUAERO_CONFIG'),
    home: read('QUAERO_HOME'),
    databaseUrl: read('QUAERO_DATABASE_URL'),
    /** The password that `pg` sends where the address has none. */
    databasePassword: read('PGPASSWORD'),
    rerankerApiKey: read('RERANKER_API_KEY'),
    tavilyApiKey: read('TAVILY_API_KEY'),
    searxngUrl: read('SEARXNG_URL'),
    langfusePublicKey: read('LANGFUSE_PUBLIC_KEY'),
    langfuseSecretKey: read('LANGFUSE_SECRET_KEY'),
    langfuseBaseUrl: read('LANGFUSE_BASE_URL') ?? read('LANGFUSE_BASEURL') ?? read('LANGFUSE_HOST'),
    /** As Langfuse names them: where this program runs, for instance "production", and which version of it. */
    langfuseEnvironment: read('LANGFUSE_TRACING_ENVIRONMENT'),
    langfuseRelease: read('LANGFUSE_RELEASE'),
    /** Base address of an OTLP/HTTP collector. */
    otlpEndpoint: read('OTEL_EXPORTER_OTLP_ENDPOINT'),
    /** `name=value` pairs, with commas between them. */
    otlpHeaders: read('OTEL_EXPORTER_OTLP_HEADERS'),
  }
}

function merge(base: Tree, over: Tree): Tree {
  const merged = new Map(Object.entries(base))
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined) continue
    const before = merged.get(key)
    merged.set(key, isTree(before) && isTree(value) ? merge(before, value) : value)
  }
  return Object.fromEntries(merged)
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner)
    Object.freeze(value)
  }
  return value
}

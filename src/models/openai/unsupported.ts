import type { Refusal } from './endpoint-errors.ts'

/** What a request asks for that not every model can do. */
export interface RequestFeatures {
  readonly tools: boolean
  readonly structuredOutput: boolean
}

/**
 * What of a refused request the server, or the model behind it, does not know at all; null where it complains of
 * something else. Only what the request asked for is looked for, and only in wordings that are known: any other refusal
 * must reach the person as it is.
 */
export function unsupportedFeature(refusal: Refusal): keyof RequestFeatures | null {
  const { asksFor, status } = refusal
  if (!asksFor || otherwiseKnown.has(status)) return null
  if (asksFor.tools && refuses(refusal, tools)) return 'tools'
  if (asksFor.structuredOutput && refuses(refusal, schemas)) return 'structuredOutput'
  return null
}

/**
 * True where a server does not know the option by which usage is asked for: Azure before 2024-09-01-preview, and servers
 * that take no field they do not know.
 */
export function refusesUsage({ status, param, message }: Refusal): boolean {
  if (status < 400 || otherwiseKnown.has(status)) return false
  return `${param ?? ''} ${message ?? ''}`.includes('stream_options')
}

/** These mean the key, the rate or the server's state, in any wording. */
const otherwiseKnown: ReadonlySet<number> = new Set([401, 402, 403, 408, 413, 429, 502, 503, 504])

/** How messages name a feature, as `plain` leaves them, and the wordings of single servers. */
interface Wordings {
  /** Parameters of a request. */
  readonly params: readonly string[]
  readonly names: readonly string[]
  readonly phrases: readonly string[]
}

const tools: Wordings = {
  params: ['tools', 'tool_choice'],
  names: ['tools', 'tool', 'tool_choice', 'tool calling', 'functions', 'function calling'],
  phrases: [
    // vLLM, docs/features/tool_calling.md: "auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser
    'requires --enable-auto-tool-choice',
    '--tool-call-parser',
    // llama.cpp, tools/server: answered with 500, later with 400; and where a model's template knows no tools
    'tools param requires --jinja',
    'tool param requires --jinja',
    'cannot use tools with stream',
    'unable to generate parser for this template',
    // OpenRouter, with 404
    'no endpoints found that support tool use',
  ],
}

const schemas: Wordings = {
  params: ['response_format'],
  names: ['response_format', 'json_schema', 'structured output', 'structured outputs'],
  phrases: [
    'invalid schema for response_format',
    // OpenAI and Azure: "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model"
    'json_schema is not supported',
    'json_schema is enabled only for',
    'response_format type is unavailable',
    'response_format must be one of',
    'response_format type must be one of',
    // vLLM with xgrammar, and llama.cpp's conversion of a schema into a grammar
    'json schema contains features not supported',
    'json schema conversion failed',
    'failed to parse grammar',
    // Ollama, llm/server.go
    'invalid json schema in format',
  ],
}

/** What stands before a name, or behind it, where a server refuses it: Ollama, OpenAI, Azure, llama.cpp, FastAPI. */
const before = [
  'not support',
  'not support native',
  'unsupported param',
  ...['unsupported', 'unknown', 'unrecognized'].flatMap((word) => [
    `${word} parameter`,
    `${word} field`,
    `${word} argument`,
    `${word} request argument supplied`,
  ]),
  'extra_forbidden loc body',
]
const behind = ['is not supported', 'are not supported', 'is not enabled', 'are not enabled']

function refuses({ code, param, message }: Refusal, { params, names, phrases }: Wordings): boolean {
  if (code !== null && unsupportedCodes.has(code) && params.some((name) => param?.startsWith(name))) return true
  const text = ` ${plain(message ?? '')} `
  const wordings = names.flatMap((name) => [
    ...before.map((phrase) => `${phrase} ${name}`),
    ...behind.map((phrase) => `${name} ${phrase}`),
  ])
  // LiteLLM, UnsupportedParamsError: "does not support parameters: ['temperature', 'tools'], for model=m"
  const listed = text.split('not support parameters ')[1]?.split(' for model')[0] ?? ''
  const isListed = params.some((name) => listed.split(' ').includes(name))
  return isListed || [...wordings, ...phrases].some((phrase) => text.includes(` ${phrase} `))
}

/** In lower case, with single spaces in place of punctuation. */
function plain(message: string): string {
  return message
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, ' ')
    .replace('doesn t', 'does not')
    .trim()
}

/** OpenAI's and Azure's, sent together with the name of the parameter. */
const unsupportedCodes: ReadonlySet<string> = new Set([
  'unsupported_parameter',
  'unsupported_value',
  'unknown_parameter',
])

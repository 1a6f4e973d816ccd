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
  if (asksFor.tools && refuses(refusal, toolWordings, /^(tools|tool_choice)$/)) return 'tools'
  if (asksFor.structuredOutput && refuses(refusal, schemaWordings, /^response_format/)) return 'structuredOutput'
  return null
}

/**
 * True where a server does not know the option by which usage is asked for: Azure before 2024-09-01-preview, and servers
 * that take no field they do not know.
 */
export function refusesUsage({ status, param, message }: Refusal): boolean {
  if (status < 400 || otherwiseKnown.has(status)) return false
  return /\bstream_options\b/.test(`${param ?? ''} ${message ?? ''}`)
}

/** These mean the key, the rate or the server's state, in any wording. */
const otherwiseKnown: ReadonlySet<number> = new Set([401, 402, 403, 408, 413, 429, 502, 503, 504])

function refuses({ code, param, message }: Refusal, wordings: readonly RegExp[], name: RegExp): boolean {
  if (code !== null && unsupportedCodes.has(code) && name.test(param ?? '')) return true
  return wordings.some((wording) => wording.test(message ?? ''))
}

/** OpenAI's and Azure's, sent together with the name of the parameter. */
const unsupportedCodes: ReadonlySet<string> = new Set([
  'unsupported_parameter',
  'unsupported_value',
  'unknown_parameter',
])

const toolWordings: readonly RegExp[] = [
  // Ollama, server/routes.go: "… does not support tools"; others say it of tool or function calling.
  /does(n't| not) support (native )?(tools?|functions?)\b/i,
  // vLLM, docs/features/tool_calling.md: "auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser
  /requires --enable-auto-tool-choice|--tool-call-parser/,
  // llama.cpp, tools/server: answered with 500, later with 400
  /tools? param requires --jinja|unsupported param: tool|cannot use tools with stream/i,
  // … and where a model's template knows no tools, or none like these
  /unable to generate parser for this template/i,
  // LiteLLM, UnsupportedParamsError: a list of names, in older releases a dictionary that begins with one
  /does not support parameters: [[{](['"][\w.]+['"], ?)*['"](tools|tool_choice)['"]/,
  // OpenAI and Azure: "tools is not supported in this model", "Unsupported parameter: 'tools' is not supported …"
  /['"`]?\b(tools|tool_choice|(tool|function) calling)\b['"`]? (is|are) not (supported|enabled)/i,
  /(unrecognized|unknown|unsupported)( request)? (argument|parameter|field)s?( supplied)?: ['"`]?(tools|tool_choice)\b/i,
  // OpenRouter, with 404
  /no endpoints found that support tool use/i,
  // FastAPI in front of a model, with 422
  /"extra_forbidden","loc":\["body","(tools|tool_choice)"/,
]

const schemaWordings: readonly RegExp[] = [
  // OpenAI and Azure: "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model"
  /response_format\b.{0,60}\b(not supported|unsupported|unavailable|not available|must be one of|enabled only for)/i,
  /invalid schema for response_format/i,
  /(unrecognized|unknown|unsupported)( request)? (argument|parameter|field)s?( supplied)?: ['"`]?response_format\b/i,
  /does(n't| not) support ([\w'"`]+ )?(response_format|json_schema|structured outputs?)\b/i,
  // LiteLLM, UnsupportedParamsError
  /does not support parameters: [[{](['"][\w.]+['"], ?)*['"]response_format['"]/,
  // vLLM with xgrammar, and llama.cpp's conversion of a schema into a grammar
  /json schema contains features not supported/i,
  /json schema conversion failed|failed to parse grammar/i,
  // Ollama, llm/server.go
  /invalid json schema in format/i,
  /"extra_forbidden","loc":\["body","response_format"/,
]

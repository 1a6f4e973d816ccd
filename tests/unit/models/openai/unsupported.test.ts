import { describe, expect, it } from 'vitest'
import { clean } from '../../../../src/models/openai/endpoint-errors.ts'
import { unsupportedFeature } from '../../../../src/models/openai/unsupported.ts'

const refusal = {
  host: 'models.example',
  model: 'm',
  status: 400,
  code: null,
  param: null,
  retryAfterMs: undefined,
  hasKey: true,
  characters: 4000,
  models: null,
  chosenWith: '--model',
}
const both = { tools: true, structuredOutput: true }

function featureIn(message: string, of: object = {}) {
  return unsupportedFeature({ ...refusal, asksFor: both, message: clean(message), ...of })
}

describe('a refusal of tools', () => {
  it.each([
    'registry.ollama.ai/library/gemma:2b does not support tools',
    '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    'tools param requires --jinja flag',
    'Unsupported param: tools',
    'Unable to generate parser for this template. Automatic parser generation failed: JSON schema conversion failed',
    'Cannot use tools with stream',
    "litellm.UnsupportedParamsError: ollama does not support parameters: ['temperature', 'tools'], for model=m.",
    "litellm.UnsupportedParamsError: ollama does not support parameters: {'tools': [{'type': 'function'}]}, for model=m",
    'tools is not supported in this model. For a list of supported models, refer to https://platform.openai.com',
    "Unsupported parameter: 'tools' is not supported with this model.",
    'Unrecognized request argument supplied: tools',
    'No endpoints found that support tool use. To learn more about provider routing, visit https://openrouter.ai',
    'Function calling is not enabled for models/gemma-3-27b-it',
    '[{"type":"extra_forbidden","loc":["body","tools"],"msg":"Extra inputs are not permitted"}]',
  ])('is seen in “%s”', (message) => {
    expect(featureIn(message)).toBe('tools')
  })

  it('is seen in the name of the parameter', () => {
    expect(featureIn('No.', { code: 'unsupported_parameter', param: 'tool_choice' })).toBe('tools')
  })
})

describe('a refusal of a JSON schema', () => {
  it.each([
    "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model. Learn more",
    "Invalid parameter: 'response_format' must be one of 'json_object', 'text'.",
    'response_format value as json_schema is enabled only for api versions 2024-08-01-preview and later',
    'response_format type must be one of "text" or "json_object", but got: json_schema',
    'This response_format type is unavailable now',
    "litellm.UnsupportedParamsError: replicate does not support parameters: ['response_format'], for model=m",
    'The provided JSON schema contains features not supported by xgrammar.',
    'JSON schema conversion failed:\nUnsupported schema',
    "Invalid schema for response_format 'routing': In context=(), 'additionalProperties' is required",
    'Unrecognized request argument supplied: response_format',
  ])('is seen in “%s”', (message) => {
    expect(featureIn(message)).toBe('structuredOutput')
  })
})

describe('another refusal', () => {
  it.each([
    "Unsupported parameter: 'temperature' is not supported with this model.",
    "Invalid 'tools[0].function.name': string does not match pattern.",
    "Invalid schema for function 'pdf_retrieval': unsupported keyword",
    "messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
    'No tool output found for function call call_1.',
    "litellm.UnsupportedParamsError: xai does not support parameters: ['reasoning_effort'], for model=m. To drop these",
    'This model does not support image input, tools aside',
    'The model `m` does not exist',
    'Your account does not have access to tools',
  ])('is left as it is: “%s”', (message) => {
    expect(featureIn(message)).toBeNull()
  })

  it.each([401, 403, 429, 503])('with the status %s is about something else, whatever it says', (status) => {
    expect(featureIn('m does not support tools', { status })).toBeNull()
  })

  it('is about something else where nothing of the kind was asked for', () => {
    const asksFor = { tools: false, structuredOutput: false }
    expect(featureIn('m does not support tools', { asksFor })).toBeNull()
    expect(featureIn('Unsupported parameter', { asksFor, code: 'unsupported_parameter', param: 'tools' })).toBeNull()
  })
})

import { describe, expect, it } from 'vitest'
import { contextSizeIn } from '../../../../src/models/port/errors.ts'

describe('what an endpoint says of a call that is too long', () => {
  it.each([
    [
      'OpenAI',
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9500 tokens.",
      8192,
      9500,
    ],
    [
      'DeepSeek',
      "This model's maximum context length is 65,536 tokens. However, you requested 70,000 tokens (66000 in the messages, 4000 in the completion).",
      65_536,
      70_000,
    ],
    [
      'vLLM',
      'The decoder prompt (length 9000) is longer than the maximum model length of 4096. Make sure it fits.',
      4096,
      9000,
    ],
    ['vLLM, by its limit', "This model's maximum context length is 4096 tokens.", 4096, null],
    [
      'llama.cpp',
      'request (9123 tokens) exceeds the available context size (4096 tokens), try increasing it',
      4096,
      9123,
    ],
    ['llama.cpp, older', 'the request exceeds the available context size. try increasing the context size', null, null],
    ['Anthropic', 'prompt is too long: 210000 tokens > 200000 maximum', 200_000, 210_000],
    [
      'Gemini',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      1_048_576,
      1_200_000,
    ],
    ['Mistral', 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length', 32_768, 40_000],
    ['somebody', 'Limit 8192, got 9000', 8192, 9000],
    ['a server that says nothing', 'Request too large', null, null],
  ])('%s names its sizes', { tags: ['F10'] }, (_, message, window, sent) => {
    expect(contextSizeIn(message)).toEqual({ window, sent })
  })

  it('takes no id, time or part for a size', { tags: ['F10'] }, () => {
    const message = 'Request 20261120200000 failed after 12 s: the context window of 4096 tokens is full (4000 + 200)'
    expect(contextSizeIn(message)).toEqual({ window: 4096, sent: null })
  })
})

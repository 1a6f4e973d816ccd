import { describe, expect, it } from 'vitest'
import { keyHeaders } from '../../../../src/models/openai/endpoint.ts'

describe('the key', () => {
  it.each([
    'my-resource.openai.azure.com',
    'my-resource.cognitiveservices.azure.com',
    'My-Resource.services.ai.azure.com',
  ])('goes to %s in the header that Azure wants too', (host) => {
    expect(keyHeaders(host, 'secret')).toEqual({ authorization: 'Bearer secret', 'api-key': 'secret' })
  })

  it.each(['api.openai.com', '127.0.0.1', 'openai.azure.com.example.org', 'myopenai.azure.com'])(
    'goes to %s in the usual header alone',
    (host) => {
      expect(keyHeaders(host, 'secret')).toEqual({ authorization: 'Bearer secret' })
    },
  )

  it('is sent to nobody if there is none', () => {
    expect(keyHeaders('my-resource.openai.azure.com', null)).toEqual({})
  })
})

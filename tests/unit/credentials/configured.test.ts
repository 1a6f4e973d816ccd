import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.ts'
import { credentialsIn } from '../../../src/credentials/credentials.ts'

describe('the configured credentials', () => {
  it('are those of the environment, inside addresses and headers too, as Basic headers carry them', {
    tags: ['T10'],
  }, () => {
    const config = loadConfig({
      env: {
        LANGFUSE_PUBLIC_KEY: 'pk-lf-1',
        LANGFUSE_SECRET_KEY: 'sk-lf-2',
        OPENAI_API_KEY: 'key-1',
        TAVILY_API_KEY: 'key-2',
        OPENAI_BASE_URL: 'https://me:p%40ss@host/v1?api_key=key-5&page=2',
        SEARXNG_URL: 'https://token-6@host',
        OTEL_EXPORTER_OTLP_HEADERS: 'x-key=key-3, authorization=Bearer%20key-4, x-scope-orgid=production',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'https://host',
      },
    })
    const basic = (pair: string) => Buffer.from(pair).toString('base64')
    expect([...credentialsIn(config)].sort()).toEqual(
      [
        ...[
          'key-1',
          'key-2',
          'key-3',
          'key-3',
          'Bearer key-4',
          'key-4',
          'key-5',
          'pk-lf-1',
          'sk-lf-2',
          'p@ss',
          'token-6',
        ],
        ...[basic('pk-lf-1:sk-lf-2'), basic('me:p@ss'), basic('token-6:')],
      ].sort(),
    )
  })

  it('of a database are its password, wherever that stands, and never the user', { tags: ['T10'] }, () => {
    const found = (storage: string, env = {}) => credentialsIn(loadConfig({ env, overrides: { storage } }))
    expect(found('postgres://quaero:p%40ss-word@db.example/quaero')).toEqual(['p@ss-word'])
    expect(found('postgres://quaero:pass-word@/quaero?host=/run/postgresql')).toEqual(['pass-word'])
    expect(found('postgres://quaero@db.example/quaero?password=word-2')).toEqual(['word-2'])
    expect(found('postgres://db.example/quaero', { PGPASSWORD: 'word-3' })).toEqual(['word-3'])
    expect(found('postgres://quaero@db.example/quaero')).toEqual([])
  })

  it('are those inside the addresses of the settings too', { tags: ['T10'] }, () => {
    const overrides = {
      endpoint: { baseUrl: 'https://host/v1?api_key=key-1' },
      search: {
        embeddings: { baseUrl: 'https://me:key-2@host/v1' },
        reranker: { baseUrl: 'https://me:key-4@host/v1' },
      },
    }
    expect(credentialsIn(loadConfig({ env: {}, overrides }))).toEqual(
      expect.arrayContaining(['key-1', 'key-2', 'key-4']),
    )
  })
})

import { describe, expect, it } from 'vitest'
import { assembleTracing, traceUrls } from '../../../src/assembly/assemble-tracing.ts'
import { loadConfig } from '../../../src/config.ts'

const keys = { LANGFUSE_PUBLIC_KEY: 'pk-lf-1', LANGFUSE_SECRET_KEY: 'sk-lf-2' }

describe('tracing', () => {
  it('is not there without keys and without an address', { tags: ['T1'] }, async () => {
    expect(assembleTracing(loadConfig({ env: {} }), () => {})).toBeNull()
    expect(traceUrls(loadConfig({ env: {} }))('run')).toBeNull()
  })

  it('needs both keys, and says which is missing', async () => {
    const notices: string[] = []
    const config = loadConfig({ env: { LANGFUSE_PUBLIC_KEY: 'pk-lf-1' } })
    expect(assembleTracing(config, (notice) => void notices.push(notice))).toBeNull()
    expect(notices).toEqual(['LANGFUSE_SECRET_KEY is not set, so nothing is traced in Langfuse.'])
  })

  it.each([
    ['LANGFUSE_BASE_URL', { ...keys, LANGFUSE_BASE_URL: 'langfuse.example' }],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }],
  ])('refuses a %s that is no web address', async (name, env) => {
    expect(() => assembleTracing(loadConfig({ env }), () => {})).toThrow(`${name} is not a web address`)
  })

  it('links to the trace by the id of the run alone', () => {
    const link = traceUrls(loadConfig({ env: { ...keys, LANGFUSE_HOST: 'https://traces.example/' } }))
    expect(link('run-1')).toMatch(/^https:\/\/traces\.example\/trace\/[0-9a-f]{32}$/)
    expect(link('run-1')).toBe(link('run-1'))
    expect(link('run-2')).not.toBe(link('run-1'))
  })

  it('links without the user name, password and key of the address', { tags: ['T10'] }, () => {
    const address = 'https://me:Quince-Canary-4711@traces.example/own/?api_key=Plum-Settings-8822'
    const link = traceUrls(loadConfig({ env: { ...keys, LANGFUSE_BASE_URL: address } }))
    expect(link('run-1')).toMatch(/^https:\/\/traces\.example\/own\/trace\/[0-9a-f]{32}$/)
  })
})

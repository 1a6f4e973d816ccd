import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

/** Imports point only to a lower line; two areas on one line do not know each other. */
const layers = [
  ['errors', 'config', 'options', 'prompts', 'yaml', 'redact', 'credentials'],
  ['events'],
  ['models', 'library', 'tracing'],
  ['answers', 'tools', 'storage'],
  ['agents'],
  ['graph'],
  ['runs'],
  ['api'],
  ['offline', 'langfuse'],
  ['assembly'],
  ['engine-documents', 'quaero-options'],
  ['engine', 'engine-start'],
  ['quaero'],
  ['index'],
  ['eval'],
  ['cli'],
]

/** Who may follow an import on its own line: the foundation knows itself. */
const foundation = new Set(['errors', 'config', 'options', 'prompts', 'yaml', 'redact', 'credentials'])

/** Each outside package has one door. */
const doors: readonly { readonly what: RegExp; readonly through: readonly string[] }[] = [
  { what: /^openai$|^@langchain\/openai$/, through: ['models/openai/'] },
  { what: /^better-sqlite3$|^@langchain\/langgraph-checkpoint-sqlite$/, through: ['storage/sqlite/'] },
  { what: /^@langchain\/langgraph(\/|$)/, through: ['agents/', 'graph/', 'runs/', 'storage/'] },
  { what: /^@langfuse\/|^@opentelemetry\//, through: ['tracing/', 'langfuse/'] },
  { what: /^unpdf$|^@embedpdf\//, through: ['library/readers/'] },
]

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
  .map((name) => join('src', name))

const rank = (area: string) => layers.findIndex((layer) => layer.includes(area))
const areaOf = (file: string) => (relative('src', file).split('/')[0] as string).replace(/\.ts$/, '')
const importsOf = (file: string) =>
  ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles.map(({ fileName }) => fileName)

describe('the source tree', () => {
  it.each(sources)('%s imports only from lower layers', (file) => {
    const from = areaOf(file)
    expect(rank(from), `no layer for ${from}`).toBeGreaterThanOrEqual(0)
    const upward = importsOf(file)
      .filter((name) => name.startsWith('.'))
      .map((name) => areaOf(join(dirname(file), name)))
      .filter((to) => to !== from && rank(to) >= rank(from))
      .filter((to) => !(foundation.has(from) && foundation.has(to)))
    expect(upward).toEqual([])
  })

  it.each(sources)('%s uses outside packages only through their doors', (file) => {
    const path = relative('src', file)
    const stray = importsOf(file).filter((name) =>
      doors.some(({ what, through }) => what.test(name) && !through.some((door) => path.startsWith(door))),
    )
    expect(stray).toEqual([])
  })

  it('uses the answers without a language model only where the engine is assembled', () => {
    const importers = sources
      .map((file) => ({ path: relative('src', file), names: importsOf(file) }))
      .filter(({ path, names }) => !path.startsWith('offline') && names.some((name) => name.includes('/offline/')))
    expect(importers.map(({ path }) => path.split('/')[0])).toEqual(['assembly'])
    expect(importers.flatMap(({ names }) => names.filter((name) => name.includes('/offline/')))).toEqual([
      '../offline/index.ts',
    ])
  })

  it('reads the environment only in config', () => {
    const readers = sources.filter((file) => /process\.env\b/.test(readFileSync(file, 'utf8')))
    expect(readers.map((file) => relative('src', file))).toEqual(['config.ts'])
  })
})

import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { areaOf, doorOf, ringsAmongSubfolders, sourceFiles } from '../scripts/source-tree.ts'

/** Imports point only to a lower line; two areas on one line do not know each other. */
const layers = [
  ['errors', 'config', 'options', 'prompts', 'yaml', 'redact', 'plain-text', 'fenced', 'private-files', 'credentials'],
  ['events'],
  ['models', 'library', 'tracing'],
  ['answers', 'tools', 'storage'],
  ['agents'],
  ['graph'],
  ['runs'],
  ['engine-life', 'engine-tools', 'claims'],
  ['api'],
  ['offline', 'langfuse'],
  ['assembly'],
  ['engine-documents', 'quaero-options'],
  ['engine', 'engine-start'],
  ['quaero'],
  ['index'],
  ['eval', 'server', 'web'],
  ['cli'],
]

/** Who may follow an import on its own line: the foundation knows itself. */
const foundation = new Set([
  'errors',
  'config',
  'options',
  'prompts',
  'yaml',
  'redact',
  'plain-text',
  'fenced',
  'private-files',
  'credentials',
])

/** Each outside package has one door. */
const doors: readonly { readonly what: RegExp; readonly through: readonly string[] }[] = [
  { what: /^openai$|^@langchain\/openai$/, through: ['models/openai/'] },
  { what: /^better-sqlite3$|^@langchain\/langgraph-checkpoint-sqlite$/, through: ['storage/sqlite/'] },
  { what: /^@langchain\/langgraph(\/|$)/, through: ['agents/', 'graph/', 'runs/', 'storage/'] },
  { what: /^@langfuse\/|^@opentelemetry\//, through: ['tracing/', 'langfuse/'] },
  { what: /^hono(\/|$)|^@hono\/|^prom-client$|^@modelcontextprotocol\//, through: ['server/'] },
  { what: /^pg$|^pg-boss$/, through: ['storage/postgres/'] },
  { what: /^hucre(\/|$)|^docx$/, through: ['claims/export/'] },
  { what: /^tesseract\.js$|^@hyzyla\/pdfium$/, through: ['library/ingestion/scans/'] },
  { what: /^@huggingface\//, through: ['models/local/'] },
  { what: /^unpdf$/, through: ['library/readers/'] },
  { what: /^@citation-js\//, through: ['library/references/'] },
  { what: /^chokidar$/, through: ['library/watch/'] },
]

/** The wings are exports of their own: only what joins the parts, and the command line, may import them. */
const wings = new Set(['offline', 'langfuse', 'eval'])
const mayImportWings = new Set([
  ...wings,
  'assembly',
  'quaero',
  'engine',
  'engine-start',
  'engine-documents',
  'index',
  'cli',
])

/** What has to start at once, the command line and the thread that sends traces, and the page, which runs in a browser. */
const namesFiles = /^(?:cli|web)\/|^langfuse\/traces\/trace-worker\.ts$/

const sources = sourceFiles().filter(({ path }) => !path.endsWith('.d.ts'))
const rank = (area: string) => layers.findIndex((layer) => layer.includes(area))

describe('the source tree', () => {
  it.each(sources)('$path imports only from lower layers', ({ path, imports }) => {
    const from = areaOf(path)
    expect(rank(from), `no layer for ${from}`).toBeGreaterThanOrEqual(0)
    const upward = imports
      .map(areaOf)
      .filter((to) => to !== from && rank(to) >= rank(from))
      .filter((to) => !(foundation.has(from) && foundation.has(to)))
    expect(upward).toEqual([])
  })

  it.each(sources)('$path uses outside packages only through their doors', ({ path, packages }) => {
    const stray = packages.filter((name) =>
      doors.some(({ what, through }) => what.test(name) && !through.some((door) => path.startsWith(door))),
    )
    expect(stray).toEqual([])
  })

  // What is loaded lazily names its file: a door would load the whole house.
  it.each(sources)('$path enters other houses through their doors', ({ path, text }) => {
    const named = namesFiles.test(path)
      ? []
      : Array.from(text.matchAll(/ from '(\.[^']+)'/g), ([, name = '']) => join(dirname(path), name))
    const stray = named.filter((to) => to.includes('/') && areaOf(to) !== areaOf(path) && to !== doorOf(areaOf(to)))
    expect(stray).toEqual([])
    expect(named.filter((to) => to === doorOf(areaOf(path)))).toEqual([])
  })

  it('uses the answers without a language model only where the engine is assembled', () => {
    const strangers = sources.filter(({ path }) => areaOf(path) !== 'offline')
    const uses = strangers.flatMap(({ path, imports }) =>
      imports.filter((to) => areaOf(to) === 'offline').map((to) => `${areaOf(path)}: ${to}`),
    )
    expect(uses).toEqual(['assembly: offline/index.ts'])
    const loadedAtOnce = strangers.filter(({ text }) => /\bfrom '[^']*\/offline\/[^']*'/.test(text))
    expect(loadedAtOnce.map(({ path }) => path)).toEqual([])
  })

  it('reads the environment only in config', () => {
    const readers = sources.filter(({ text }) => /process\.env\b/.test(text))
    expect(readers.map(({ path }) => path)).toEqual(['config.ts'])
  })

  it('loads no schemas of events into the thread that writes traces, which would start late', () => {
    const inThread = sources.filter(({ path }) => path === 'tracing/open-spans.ts' || path.startsWith('tracing/otel/'))
    const loading = inThread
      .filter(({ text }) => /^import (?!type )[^']*'[^']*\/events\//m.test(text))
      .map(({ path }) => path)
    // It passes events to the thread.
    expect(loading).toEqual(['tracing/otel/trace-subscriber.ts'])
  })

  it('has a core that does not import the wings', () => {
    const strays = sources
      .filter(({ path, imports }) => !mayImportWings.has(areaOf(path)) && imports.some((to) => wings.has(areaOf(to))))
      .map(({ path }) => path)
    expect(strays).toEqual([])
  })

  it('has no rings among the subfolders of an area', () => {
    expect(ringsAmongSubfolders(sources)).toEqual([])
  })

  it('finds a ring among subfolders, however long', () => {
    const files = [
      { path: 'area/a.ts', imports: ['area/one/b.ts'] },
      { path: 'area/one/b.ts', imports: ['area/two/c.ts'] },
      { path: 'area/two/c.ts', imports: ['area/a.ts', 'area/three/d.ts'] },
      { path: 'area/three/d.ts', imports: ['area/three/e.ts'] },
    ]
    expect(ringsAmongSubfolders(files)).toEqual([{ area: 'area', folders: ['.', 'one', 'two'] }])
  })
})

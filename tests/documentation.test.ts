import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { generatedDocs } from '../scripts/generate-docs.ts'
import { commands } from '../src/cli/commands/index.ts'
import { loadConfig } from '../src/config.ts'
import { openQuaero } from './fixtures/workflow.ts'

describe('the documentation', () => {
  it.each([...generatedDocs()])('docs/%s is what "npm run docs" writes', (path, content) => {
    expect(readFileSync(join('docs', path), 'utf8')).toBe(content)
  })

  it('keeps no schema of an output that no longer exists', () => {
    const known = [...generatedDocs().keys()].filter((path) => path.startsWith('schema/'))
    expect(
      readdirSync('docs/schema')
        .map((name) => `schema/${name}`)
        .sort(),
    ).toEqual(known.sort())
  })

  it('explains every setting of config/default.yaml in a comment', () => {
    const lines = readFileSync('config/default.yaml', 'utf8').split('\n')
    const top = Object.keys(parse(lines.join('\n')) as object)
    const explained = top.filter((key) => {
      const at = lines.findIndex((line) => line.startsWith(`${key}:`))
      return lines[at - 1]?.startsWith('#') || lines[at + 1]?.trim().startsWith('#')
    })
    expect(explained).toEqual(top)
    expect(Object.keys(loadConfig({ env: {} }).settings)).toEqual(top)
  })

  it('names every command, and every built-in tool', async () => {
    const [cli = '', tools = ''] = ['docs/cli.md', 'docs/tools.md'].map((page) => readFileSync(page, 'utf8'))
    const rows = new Map([...cli.matchAll(/^\| `(\w+)` \| (.*)$/gm)].map(([, name = '', row = '']) => [name, row]))
    for (const each of commands) {
      expect([...rows.keys()], 'docs/cli.md').toContain(each.name)
      for (const { name } of 'commands' in each ? each.commands : []) {
        expect(rows.get(each.name), `docs/cli.md: ${name}`).toContain(`\`${name.replace(`${each.name} `, '')}\``)
      }
    }
    const settings = { specialists: { checker: { description: 'Checks.' } } }
    const quaero = await openQuaero({ dataDir: ':memory:', settings, env: { SEARXNG_URL: 'http://127.0.0.1:1' } })
    for (const { name } of quaero.tools.list()) expect(tools, 'docs/tools.md').toContain(`\`${name}\``)
  })

  it('links only to files that exist', () => {
    for (const page of pages()) {
      const folder = join(page, '..')
      const links = [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link ?? '')
      for (const link of links) expect(() => readFileSync(join(folder, link)), `${page}: ${link}`).not.toThrow(/ENOENT/)
    }
  })

  it('names only files and folders of this repository that exist', () => {
    // The guide names files that its reader writes.
    const written = new Set([...filesToWrite().keys()])
    for (const page of pages()) {
      const named = [...readFileSync(page, 'utf8').matchAll(/`((?:src|tests|config|scripts)\/[\w./-]+)`/g)]
      for (const [, path = ''] of named)
        if (!written.has(join(root, path))) expect(existsSync(path), `${page}: ${path}`).toBe(true)
    }
  })

  it('keeps the README, the map and the guide for contributors short', () => {
    const lines = (page: string) => readFileSync(page, 'utf8').trimEnd().split('\n').length
    expect(lines('README.md')).toBeLessThanOrEqual(130)
    expect(lines('AGENTS.md')).toBeLessThanOrEqual(60)
    expect(lines('CONTRIBUTING.md')).toBeLessThanOrEqual(40)
  })

  it('shows programs that compile under the strictest settings of TypeScript', { tags: ['slow'] }, () => {
    const withPrograms = ['README.md', 'examples/README.md', 'docs/extend.md', 'docs/hooks.md', 'docs/session-logs.md']
    const programs = new Map([...withPrograms.flatMap(programsOf), ...filesToWrite()])
    expect(programs.size).toBeGreaterThanOrEqual(9)
    const broken = [join(root, 'broken.ts'), "import { createQuaero } from 'quaero'\ncreateQuaero(7)\n"] as const
    expect(problemsOf(new Map([...programs, broken]))).toEqual([
      `${broken[0]}: Type '7' has no properties in common with type 'QuaeroOptions'.`,
    ])
  })
})

const root = join(import.meta.dirname, '..')

/** The pages that people write. */
function pages(): readonly string[] {
  const inDocs = readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name))
  const atTop = ['README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'examples/README.md']
  return [...atTop, ...inDocs.filter((name) => name.endsWith('.md'))]
}

/** The whole files that docs/extend.md tells its reader to write, by path. */
function filesToWrite(): ReadonlyMap<string, string> {
  const steps = readFileSync(join(root, 'docs/extend.md'), 'utf8').split(/^(?=\d+\. )/m)
  return new Map(
    steps.flatMap((step): [string, string][] => {
      const [, path] = /^\d+\. (?:Write|Test)[^`]*`([^`]+\.ts)`/.exec(step) ?? []
      const [, code] = /^ {3}```ts\n( {3}import .+?)^ {3}```/ms.exec(step) ?? []
      return path && code ? [[join(root, path), code.replace(/^ {3}/gm, '')]] : []
    }),
  )
}

/** The examples of a page that are whole programs, by the names of files that do not exist. */
function programsOf(page: string): (readonly [path: string, program: string])[] {
  const blocks = [...readFileSync(join(root, page), 'utf8').matchAll(/^```ts\n(import .+?)^```/gms)]
  return blocks.map(([, program = ''], at) => [join(root, `${page.replace(/\W/g, '-')}-${at + 1}.ts`), program])
}

/** What the compiler says of them, where the package stands for its source. */
function problemsOf(programs: ReadonlyMap<string, string>): string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const paths = { quaero: ['./src/index.ts'] }
  const { options } = ts.convertCompilerOptionsFromJson({ ...config.compilerOptions, paths, declaration: false }, root)
  const host = ts.createCompilerHost(options)
  const { readFile, fileExists } = host
  host.readFile = (path) => programs.get(path) ?? readFile(path)
  host.fileExists = (path) => programs.has(path) || fileExists(path)
  const program = ts.createProgram([...programs.keys()], options, host)
  return [...programs.keys()].flatMap((path) => {
    const source = program.getSourceFile(path)
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
    return found.map(({ messageText }) => `${path}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`)
  })
}

import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/walkthrough.md'), 'utf8')

/** A section of the page: a file, the function that is called there, and the code that is quoted from the file. */
const stops = page
  .split(/^## (?=\d+\. )/m)
  .slice(1)
  .map((section) => {
    const [, file = '', name = ''] = /^\d+\. `(src\/[^`]+)`: `([^`]+)`/.exec(section) ?? []
    const quotes = Array.from(section.matchAll(/^```ts\n(.+?)^```/gms), ([, code = '']) => code)
    return { file, name, quotes }
  })

describe('the walkthrough', () => {
  it('names twelve files, once each', () => {
    expect(new Set(stops.map(({ file }) => file)).size).toBe(stops.length)
    expect(stops).toHaveLength(12)
  })

  it.each(stops)('quotes $file as it is', ({ file, quotes }) => {
    const source = withoutIndentation(readFileSync(join(root, file), 'utf8'))
    expect(quotes.length).toBeGreaterThan(0)
    for (const quote of quotes) expect(source).toContain(withoutIndentation(quote))
  })

  it('names the files in the order in which the question of the README passes them', { tags: ['slow'] }, () => {
    const [command, question = ''] = /quaero ask "([^"]+)" -d examples\/papers$/m.exec(page) ?? []
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain(command)
    const { answer, passed } = ask(question)
    expect(answer).toContain('90% for ten. With three processes')
    expect(passed).toEqual(stops.map(({ file, name }) => `${file}: ${name}`))
  })
})

/** Asks the question in a process of its own, over a copy of the source whose named functions report their first call. */
function ask(question: string) {
  const folder = mkdtempSync(join(tmpdir(), 'walkthrough-'))
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true })
  for (const name of ['node_modules', 'prompts', 'config', 'package.json', 'tsconfig.json', 'examples'])
    symlinkSync(join(root, name), join(folder, name))
  const calls = join(folder, 'calls.txt')
  writeFileSync(calls, '')
  const reporter = join(folder, 'reporter.mjs')
  writeFileSync(reporter, reporting(calls))
  for (const { file, name } of stops) {
    const source = readFileSync(join(root, file), 'utf8')
    writeFileSync(join(folder, file), reportingCallsOf(source, name, `${file}: ${name}`, pathToFileURL(reporter).href))
  }
  const command = ['--import', 'tsx', 'src/cli/main.ts', 'ask', question, '-d', 'examples/papers', '-q']
  const env = { PATH: process.env.PATH, HOME: folder, NO_COLOR: '1' }
  const answer = execFileSync(process.execPath, command, { cwd: folder, env, encoding: 'utf8' })
  return { answer, passed: readFileSync(calls, 'utf8').trim().split('\n') }
}

/** A module that writes down each call once. */
function reporting(calls: string): string {
  return `import { appendFileSync } from 'node:fs'
const seen = new Set()
export function report(call) {
  if (!seen.has(call)) appendFileSync(${JSON.stringify(calls)}, call + '\\n')
  seen.add(call)
}
`
}

/** The source, with a report at the beginning of each function or method of this name. */
function reportingCallsOf(source: string, name: string, call: string, reporter: string): string {
  const starts: number[] = []
  const visit = (node: ts.Node) => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body && ts.isBlock(node.body) && nameOf(node) === name)
      starts.push(node.body.getStart() + 1)
    node.forEachChild(visit)
  }
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true))
  expect(starts.length, `a function called ${call}`).toBeGreaterThan(0)
  const report = ` report_(${JSON.stringify(call)});`
  const changed = starts.toReversed().reduce((text, at) => text.slice(0, at) + report + text.slice(at), source)
  return `import { report as report_ } from ${JSON.stringify(reporter)}; ${changed}`
}

/** A function's own name, or the one that it is assigned to. */
function nameOf(node: ts.SignatureDeclaration): string | undefined {
  const { parent } = node
  const named = node.name ?? (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name : null)
  return named?.getText()
}

function withoutIndentation(code: string): string {
  return code
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
}

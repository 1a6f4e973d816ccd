import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { generatedDocs } from '../scripts/generate-docs.ts'
import { loadConfig } from '../src/config.ts'

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

  it('links only to files that exist', () => {
    const pages = [
      'README.md',
      'AGENTS.md',
      'CONTRIBUTING.md',
      'docs/architecture.md',
      'docs/configuration.md',
      'docs/tracing.md',
      'docs/evaluation.md',
      'docs/semantic-search.md',
      'docs/sub-agents.md',
      'docs/tools.md',
      'docs/session-logs.md',
    ]
    for (const page of pages) {
      const folder = join(page, '..')
      const links = [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link ?? '')
      for (const link of links) expect(() => readFileSync(join(folder, link)), `${page}: ${link}`).not.toThrow(/ENOENT/)
    }
  })
})

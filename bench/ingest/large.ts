import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Figures {
  readonly longestGapMs: number
  /** The longest stretch of processor time without a turn of the event loop; null where it is not known. */
  readonly longestWorkMs: number | null
  readonly seconds: number
  readonly megabytes: number
  readonly result: string
}

const megabyte = 1_000_000
/** One action that takes longer is ended, and the benchmark with it. */
const mostMs = 300_000
const sentence = (number: number): string =>
  `Pond number ${number} is ${(number * 7) % 97} metres deep, and herons stand at its edge in the evening. `

/** Text of so many characters, `each` around each paragraph. */
function paragraphs(characters: number, each: (text: string, number: number) => string): string {
  const parts: string[] = []
  let length = 0
  for (let number = 0; length < characters; number += 1) {
    const text = each(Array.from({ length: 30 }, (_, at) => sentence(number * 30 + at)).join(''), number)
    parts.push(text)
    length += text.length
  }
  return parts.join('\n\n')
}

const files: Readonly<Record<string, () => string>> = {
  'long-paragraphs.txt': () => paragraphs(14 * megabyte, (text) => text),
  'one-paragraph.txt': () => paragraphs(14 * megabyte, (text) => text).replaceAll('\n', ' '),
  'short-lines.txt': () => Array.from({ length: 1_000_000 }, (_, at) => `line ${at} of many`).join('\n'),
  '64-megabytes.txt': () => paragraphs(60 * megabyte, (text) => text),
  'markdown.md': () => paragraphs(14 * megabyte, (text, at) => (at % 5 === 0 ? `## Part ${at}\n\n${text}` : text)),
  'page.html': () => `<html><body>${paragraphs(14 * megabyte, (text) => `<p>${text}</p>`)}</body></html>`,
}

const actions = ['add', 'search', 'ask', 'text'] as const

/** What large files do to the process that adds them and asks about them, with each build. */
export function measureLarge(builds: readonly string[], folder: string, only: string | undefined): void {
  console.log(
    'longest gap of the event loop (and its own work in one), peak memory of the main process, seconds: this build | the other',
  )
  for (const [name, make] of Object.entries(files)) {
    if (only && !name.includes(only)) continue
    const path = join(folder, name)
    writeFileSync(path, make())
    const dataDirs = builds.map(() => mkdtempSync(join(folder, 'library-')))
    for (const action of actions) {
      const figures = builds.map((build, at) => measure(build, dataDirs[at] ?? '', action, path))
      console.log(`${name} ${action}: ${figures.map(describe).join(' | ')}`)
    }
    for (const each of [path, ...dataDirs]) rmSync(each, { recursive: true })
  }
}

function measure(build: string, dataDir: string, action: string, file: string): Figures {
  const script = join(import.meta.dirname, 'measure-large.mjs')
  return JSON.parse(
    execFileSync(process.execPath, [script, build, dataDir, action, file], { encoding: 'utf8', timeout: mostMs }),
  )
}

function describe({ longestGapMs, longestWorkMs, megabytes, seconds, result }: Figures): string {
  return `${longestGapMs.toFixed(0)} ms (work ${longestWorkMs?.toFixed(0) ?? '?'} ms), ${megabytes.toFixed(0)} MB, ${seconds.toFixed(1)} s (${result})`
}

// Proves that every regular expression of src takes time in proportion to its text: `npm run check`.
// `--save` keeps what was proved in linear-expressions.txt (a hash a line), which makes the next check quick.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { check } from 'recheck'
import { collectExpressions, type Expression } from './collect-expressions.ts'

const proofs = join(import.meta.dirname, 'linear-expressions.txt')

/** Limits by what is counted, so that a busy machine comes to the same verdict; the time alone is a guard. */
const limits = {
  timeout: 120_000,
  maxNFASize: 3000,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
}
const inParallel = 3

/** Builds what persons write into question sets, which is run with a time limit (`boundedMatch`). */
const ofPersons = ['src/eval/dataset.ts']

const { expressions, unchecked } = await collectExpressions()
const proved = new Set(readFileSync(proofs, 'utf8').split('\n').filter(Boolean))
const byKey = new Map(expressions.filter(({ source }) => repeats(source)).map((each) => [keyOf(each), each]))
const toProve = [...byKey].filter(([key]) => !proved.has(key))
const problems: string[] = []

await Promise.all(Array.from({ length: inParallel }, prove))
for (const place of unchecked) {
  if (!ofPersons.some((path) => place.startsWith(path)))
    problems.push(`${place}: what this builds is unknown: build it from constants and literally(…) alone`)
}
if (process.argv.includes('--save')) {
  writeFileSync(
    proofs,
    [...byKey.keys()]
      .filter((key) => proved.has(key))
      .sort()
      .map((key) => `${key}\n`)
      .join(''),
  )
}
for (const problem of problems.sort()) console.error(problem)
console.log(
  `${byKey.size} expressions with repeats: ${problems.length === 0 ? 'each is linear' : `${problems.length} may be slow`}`,
)
// What proves may have left a process of its own running.
process.exit(problems.length === 0 ? 0 : 1)

async function prove(): Promise<void> {
  for (let next = toProve.pop(); next !== undefined; next = toProve.pop()) {
    const [key, expression] = next
    const problem = await problemOf(expression)
    if (problem === null) proved.add(key)
    else problems.push(`${expression.place}: ${problem}`)
  }
}

async function problemOf({ source, flags }: Expression): Promise<string | null> {
  const verdict = await check(withSmallCounts(source), flags, limits)
  if (verdict.status === 'safe') return null
  const expression = `/${source}/${flags}`
  if (verdict.status === 'unknown') return `unknown (${verdict.error.kind}): ${expression}`
  return `${verdict.complexity.summary}, for example with ${verdict.attack.pattern}: ${expression}`
}

function keyOf({ source, flags }: Expression): string {
  return createHash('sha256').update(`/${source}/${flags}`).digest('hex').slice(0, 16)
}

/** Without a repeat, a match takes the same time at every place of a text, however long that is. */
function repeats(source: string): boolean {
  return /[*+{]/.test(source.replace(/\\[pPukx]\{[^}]*\}|\\./gs, '').replace(/\[[^\]]*\]/g, ''))
}

/** A count multiplies the time by at most itself, whatever the text: a small one shows as well how time grows. */
function withSmallCounts(source: string): string {
  const small = (count: string) => `${Math.min(Number(count), 3)}`
  return source.replace(/(?<!\\u)\{(\d+)(,?)(\d*)\}/g, (_, least: string, comma: string, most: string) => {
    return `{${small(least)}${comma}${most && small(most)}}`
  })
}

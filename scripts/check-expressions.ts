// Proves that every regular expression of src takes time in proportion to its text: `npm run check`.
// `--save` keeps what was proved in linear-expressions.txt (a hash a line, and the word fuzz where recheck's automaton
// could not decide and its search for a slow text found none), which makes the next check quick.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { check } from 'recheck'
import { collectExpressions, type Expression } from './collect-expressions.ts'

const proofs = join(import.meta.dirname, 'linear-expressions.txt')

/** Limits by what is counted, so that a busy machine comes to the same verdict; the time alone is a guard. */
const limits = {
  timeout: 120_000,
  // Above recheck's own limits, so that its automaton decides wherever it can.
  maxPatternSize: 10_000,
  maxRepeatCount: 300,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
}
const inParallel = 3

/** Builds what persons write into question sets, which is run with a time limit (`boundedMatch`). */
const ofPersons = ['src/eval/dataset.ts']

const { expressions, unchecked } = await collectExpressions()
/** By key, how each expression was proved. */
const proved = new Map(
  readFileSync(proofs, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line): [string, string] => [line.slice(0, 16), line.slice(17)]),
)
const byKey = new Map(expressions.filter(({ source }) => repeats(source)).map((each) => [keyOf(each), each]))
const toProve = [...byKey].filter(([key]) => !proved.has(key))
const problems: string[] = []

await Promise.all(Array.from({ length: inParallel }, proveNext))
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
      .map((key) => `${`${key} ${proved.get(key)}`.trimEnd()}\n`)
      .join(''),
  )
}
for (const problem of problems.sort()) console.error(problem)
const byFuzz = [...byKey.keys()].filter((key) => proved.get(key) === 'fuzz').length
console.log(
  `${byKey.size} expressions with repeats, ${byFuzz} of them tested by fuzz alone: ` +
    (problems.length === 0 ? 'each is linear' : `${problems.length} may be slow`),
)
// recheck may leave a process of its own running.
process.exit(problems.length === 0 ? 0 : 1)

async function proveNext(): Promise<void> {
  for (let next = toProve.pop(); next !== undefined; next = toProve.pop()) {
    const [key, expression] = next
    const { checker, problem } = await prove(expression)
    if (problem === null) proved.set(key, checker === 'fuzz' ? 'fuzz' : '')
    else
      for (const { place } of expressions.filter((each) => keyOf(each) === key)) problems.push(`${place}: ${problem}`)
  }
}

async function prove({ source, flags }: Expression): Promise<{ checker: string | undefined; problem: string | null }> {
  const verdict = await check(withSmallCounts(source), flags, limits)
  const { checker } = verdict
  if (verdict.status === 'safe') return { checker, problem: null }
  const why =
    verdict.status === 'unknown'
      ? `unknown (${verdict.error.kind})`
      : `${verdict.complexity.summary}, for example with ${verdict.attack.pattern}`
  return { checker, problem: `${why}: /${source}/${flags}` }
}

function keyOf({ source, flags }: Expression): string {
  return createHash('sha256').update(`/${source}/${flags}`).digest('hex').slice(0, 16)
}

/** Without a repeat, a match takes the same time at every place of a text, however long that is. */
function repeats(source: string): boolean {
  return /[*+{]/.test(source.replace(/\\[pPukx]\{[^}]*\}|\\./gs, '').replace(/\[[^\]]*\]/g, ''))
}

/**
 * Counts are reduced to 3 before the proof, which would otherwise take hours. This is sound for how the time grows with
 * the text: where no repeat is unbounded, a match looks at a bounded number of characters from each place; where one is,
 * a slow text needs two ways to read the same characters, and three repeats show both. It is not sound for the constant
 * factor: `(?:a|a){30}` takes 2^30 steps at one place, and is called safe as `{3}`. Two ways that meet only after more
 * than three repeats are missed as well. The measured time of `npm run torture -- fuzz` covers these two cases.
 */
function withSmallCounts(source: string): string {
  const small = (count: string) => `${Math.min(Number(count), 3)}`
  return source.replace(/(?<!\\u)\{(\d+)(,?)(\d*)\}/g, (_, least: string, comma: string, most: string) => {
    return `{${small(least)}${comma}${most && small(most)}}`
  })
}

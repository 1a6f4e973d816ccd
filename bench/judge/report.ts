import type { JudgedSentence } from '../../src/answers/sentence-state.ts'
import type { JudgedDraft } from '../../src/answers/verified-answer.ts'
import { type Said, withoutTags } from './drafts.ts'

/** What became of a sentence. */
export interface Outcome extends Said {
  readonly draft: string
  /** Shown as it was written, shown with a correction, or not shown; `unread`: its reader gave no verdict. */
  readonly became: 'kept' | 'corrected' | 'dropped' | 'unread'
  readonly reason: string
  readonly correction: string | null
}

export function outcomesOf(draft: string, said: readonly Said[], { sentences }: JudgedDraft): readonly Outcome[] {
  return said.map((each) => {
    const text = plain(withoutTags(each.text))
    const parts = sentences.filter(({ text: shown, correctedFrom }) => isPart(plain(correctedFrom ?? shown), text))
    const corrected = parts.find(({ correctedFrom }) => correctedFrom !== null)
    const reason = parts.flatMap((part) => part.reason ?? []).join('; ')
    return { ...each, draft, became: becameOf(parts), reason, correction: corrected?.text ?? null }
  })
}

function becameOf(parts: readonly JudgedSentence[]): Outcome['became'] {
  if (parts.length === 0 || parts.some(({ state }) => state === 'unsupported')) return 'dropped'
  if (parts.some(({ correctedFrom }) => correctedFrom !== null)) return 'corrected'
  return parts.some(({ state }) => state === 'quoted') ? 'unread' : 'kept'
}

function isPart(part: string, whole: string): boolean {
  return part !== '' && (whole.includes(part) || part.includes(whole))
}

/** Letters and digits alone. */
function plain(text: string): string {
  return wordsOf(text).join(' ')
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}.,%]*[\p{L}\p{N}%]/gu) ?? []
}

/** A correction says the words that the truth has and the twin lacks, and none that the twin has and the truth lacks. */
export function isRightCorrection(correction: string, { text, truth }: Said): boolean {
  const [twin, right, said] = [text, truth ?? '', correction].map((each) => new Set(wordsOf(withoutTags(each))))
  if (!twin || !right || !said) return false
  return (
    [...right].every((word) => twin.has(word) || said.has(word)) &&
    ![...twin].some((word) => !right.has(word) && said.has(word))
  )
}

/** How much a reader costs. */
export interface Cost {
  readonly calls: number
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly outputTokens: number
}

export function printReport(outcomes: readonly Outcome[], cost: Cost): void {
  const read = outcomes.filter(({ became }) => became !== 'unread')
  const truths = read.filter(({ truth }) => truth === null)
  const twins = read.filter(({ truth }) => truth !== null)
  for (const each of truths.filter(({ became }) => became !== 'kept')) printOne('LOST', each)
  for (const each of twins.filter(({ became }) => became === 'kept')) printOne('SHOWN', each)
  const corrected = twins.filter(({ became }) => became === 'corrected')
  const right = corrected.filter((each) => isRightCorrection(each.correction ?? '', each))
  for (const each of corrected.filter((one) => !right.includes(one))) printOne('CORRECTED IN OTHER WORDS', each)
  console.log(
    `\ntrue kept      ${share(
      truths.filter(({ became }) => became === 'kept'),
      truths,
    )}   gate 98 %`,
  )
  console.log(
    `false caught   ${share(
      twins.filter(({ became }) => became !== 'kept'),
      twins,
    )}   gate 98 %`,
  )
  console.log(`  of them corrected ${corrected.length}, as the true sentence says ${right.length}`)
  for (const way of new Set(twins.map((each) => each.way))) {
    const ofWay = twins.filter((each) => each.way === way)
    console.log(
      `  ${way.padEnd(10)} ${share(
        ofWay.filter(({ became }) => became !== 'kept'),
        ofWay,
      )}`,
    )
  }
  if (read.length < outcomes.length) console.log(`without a verdict: ${outcomes.length - read.length} sentences`)
  const { calls, inputTokens, cachedTokens, outputTokens } = cost
  const mean = (tokens: number) => Math.round(tokens / Math.max(1, calls))
  console.log(
    `${calls} calls, each ${mean(inputTokens)} tokens in (${mean(cachedTokens)} of them cached), ${mean(outputTokens)} out`,
  )
}

function printOne(name: string, { draft, text, truth, reason, correction }: Outcome): void {
  console.log(`${name}: ${draft}: ${withoutTags(text)}`)
  if (truth !== null) console.log(`  true:   ${withoutTags(truth)}`)
  if (correction !== null) console.log(`  became: ${correction}`)
  if (reason !== '') console.log(`  reason: ${reason}`)
}

function share(some: readonly unknown[], all: readonly unknown[]): string {
  return `${some.length} of ${all.length} (${((100 * some.length) / Math.max(1, all.length)).toFixed(1)} %)`
}

import type { RunResult } from '../../src/runs/log/result.ts'
import type { Case } from './case.ts'
import type { Said } from './endpoint.ts'
import { judge, says, type Verdict } from './judge.ts'

export interface Judged extends Verdict {
  readonly asked: Case
  /** As the model wrote it last. */
  readonly draft: string
  readonly answer: string
  /** Words of the draft that no passage held, so that the case shows nothing of the checks. */
  readonly missing: readonly string[]
  /** Why it came so: what the program told the model, or what no passage held. */
  readonly reason: string
  /** Its sentences that were read a second time. */
  readonly reread: readonly string[]
}

export function judged(asked: Case, result: RunResult, { draft, missing, complaint, reread }: Said): Judged {
  const failures = complaint.split('\n').filter((line) => line.startsWith('- '))
  const notFound = missing.map((words) => `no passage was found with “${words}”`)
  const reason = [...notFound, ...failures].join('; ') || 'no repair was asked for'
  return {
    ...judge(asked, result),
    asked,
    draft,
    missing,
    answer: result.abstained ? '(abstained)' : result.answer,
    reason,
    reread: asked.sentences.filter((sentence) => reread.some((claim) => says(claim, sentence))),
  }
}

/** One case that went wrong: the draft, what was shown of it, and why. */
export function printCase({ asked, draft, wrong, answer, reason }: Judged): void {
  const { isTrue, group, document, question } = asked
  console.log(`${isTrue ? 'LOST' : 'SHOWN'}: ${group} · ${document.file} · ${question}`)
  console.log(`  draft:  ${oneLine(draft)}`)
  console.log(`  ${isTrue ? 'lost' : 'false'}:   ${wrong.map(oneLine).join(' | ')}`)
  console.log(`  answer: ${oneLine(answer)}`)
  if (isTrue) console.log(`  reason: ${oneLine(reason)}`)
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 300 ? `${line.slice(0, 300)}…` : line
}

/** How many sentences a second reading is asked about: true ones, and false ones that the checks by words let pass. */
export function printReread(all: readonly Judged[]): void {
  const truths = all.filter(({ asked }) => asked.isTrue)
  const passed = all.filter(({ asked, isRight }) => !asked.isTrue && !isRight)
  const count = (cases: readonly Judged[]) => {
    const sent = cases.flatMap(({ reread }) => reread).length
    return `${sent} of ${cases.flatMap(({ asked }) => asked.sentences).length}`
  }
  const drafts = truths.filter(({ reread }) => reread.length > 0).length
  console.log(
    `second reading: ${count(truths)} true sentences, in ${drafts} of ${truths.length} drafts; ${count(passed)} false ones that passed by words`,
  )
}

/** Kept and caught before and after a second reading. */
export function printEffect(name: string, before: readonly Judged[], after: readonly Judged[]): void {
  const part = (all: readonly Judged[], isTrue: boolean) => share(all.filter(({ asked }) => asked.isTrue === isTrue))
  console.log(`\n${name}, by words alone: kept ${part(before, true)}, caught ${part(before, false)}`)
  console.log(`${name}, after the second reading: kept ${part(after, true)}, caught ${part(after, false)}`)
}

/** Kept and caught, in all, by document and language, and by style and class where these may be seen. */
export function printFigures(name: string, all: readonly Judged[], showsGroups: boolean): void {
  const truths = all.filter(({ asked }) => asked.isTrue)
  const lies = all.filter(({ asked }) => !asked.isTrue)
  console.log(`\n${name}: kept ${share(truths)}, caught ${share(lies)}`)
  const unfound = all.filter(({ missing }) => missing.length > 0).length
  if (unfound > 0) console.log(`${unfound} cases quote what no passage held, so that the model abstained`)
  if (showsGroups) {
    printBy('true, kept by style', truths, ({ asked }) => asked.group)
    printBy('false, caught by class', lies, ({ asked }) => asked.group)
  }
  printBy('false, caught by citation', lies, ({ asked }) => asked.variant)
  for (const [title, part] of [
    ['true, kept', truths],
    ['false, caught', lies],
  ] as const) {
    printBy(`${title} by document`, part, ({ asked }) => asked.document.file)
    printBy(`${title} by language`, part, ({ asked }) => asked.document.language)
  }
}

function printBy(title: string, all: readonly Judged[], key: (one: Judged) => string): void {
  console.log(`\n${title}`)
  for (const name of new Set(all.map(key))) console.log(`  ${share(all.filter((one) => key(one) === name))}  ${name}`)
}

function share(all: readonly Judged[]): string {
  const right = all.filter(({ isRight }) => isRight).length
  return `${right} of ${all.length} (${((100 * right) / all.length).toFixed(0)} %)`
}

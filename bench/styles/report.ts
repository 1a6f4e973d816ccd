import type { RunResult } from '../../src/runs/log/result.ts'
import type { Case } from './case.ts'
import type { Said } from './endpoint.ts'
import { judge, type Verdict } from './judge.ts'

export interface Judged extends Verdict {
  readonly asked: Case
  /** As the model wrote it last. */
  readonly draft: string
  readonly answer: string
  /** Words of the draft that no passage held, so that the case shows nothing of the checks. */
  readonly missing: readonly string[]
  /** A reader has read it, or there was nothing to read. */
  readonly isRead: boolean
  /** Why it came so: what the program told the model, or what no passage held. */
  readonly reason: string
}

export function judged(asked: Case, result: RunResult, { draft, missing }: Said): Judged {
  const notFound = missing.map((words) => `no passage was found with “${words}”`)
  const failures = result.sentences.flatMap(({ text, reason }) => (reason ? [`${text}: ${reason}`] : []))
  return {
    ...judge(asked, result),
    asked,
    draft,
    missing,
    isRead: !result.sentences.some(({ reason }) => reason?.startsWith('the second reading was left out')),
    answer: result.abstained ? '(abstained)' : result.answer,
    reason: [...notFound, ...failures].join('; '),
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

/** How many true and false sentences came out in each state. */
export function printStates(all: readonly Judged[]): void {
  for (const isTrue of [true, false]) {
    const states = all.filter(({ asked }) => asked.isTrue === isTrue).flatMap((each) => each.states)
    const counts = ['verified', 'quoted', 'unsupported', 'gone'].map((state) => {
      return `${states.filter((each) => each === state).length} ${state}`
    })
    console.log(`${isTrue ? 'true' : 'false'} sentences: ${states.length}, of them ${counts.join(', ')}`)
  }
}

/** Kept and caught, in all, by document and language, and by style and class where these may be seen. */
export function printFigures(name: string, asked: readonly Judged[], showsGroups: boolean): void {
  const all = asked.filter(({ isRead }) => isRead)
  if (all.length < asked.length) console.log(`${asked.length - all.length} cases have no reply, and do not count`)
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

import { median } from '../processes.ts'
import { type Call, callKinds } from './account.ts'
import { formIn, type KeptAnswer, labelsIn } from './kept-answers.ts'
import { type Fate, type Labels, sentencesIn } from './labels.ts'

const fates: readonly Fate[] = [
  'verified',
  'quoted',
  'withheld',
  'corrected',
  'correction',
  'dropped by quotes',
  'dropped by formula',
  'dropped by reading',
]

/** Why a person's labels say nothing of an answer; null if they do. */
export function problemOf(answer: Pick<KeptAnswer, 'drafts' | 'shown'>, labels: Labels | undefined): string | null {
  if (!labels) return 'no line'
  const count = sentencesIn(answer).length
  if (labels.sentences.length !== count) return `${labels.sentences.length} labels for ${count} sentences`
  const all = [labels.draftRight, labels.shownRight, ...labels.sentences]
  return all.some((each) => typeof each !== 'boolean') ? 'not filled in' : null
}

/** Right before and after the checks, what became of true and false sentences, and what it took, as lines of one table. */
export function tableOf(answers: readonly KeptAnswer[], labels: ReadonlyMap<string, Labels>): readonly string[] {
  const judged = answers.flatMap((answer) => {
    const own = labels.get(answer.id)
    return own && problemOf(answer, own) === null ? [{ answer, own }] : []
  })
  const count = (isCounted: (own: Labels) => boolean | null) => judged.filter(({ own }) => isCounted(own)).length
  const said = judged.flatMap(({ answer, own }) =>
    sentencesIn(answer).map(({ fate }, at) => ({ fate, isTrue: own.sentences[at] })),
  )
  const sentencesOf = (fate: Fate, isTrue: boolean) =>
    said.filter((each) => each.fate === fate && each.isTrue === isTrue).length
  return [
    line('answers judged', judged.length, ''),
    line(
      'draft right',
      count(({ draftRight }) => draftRight),
      '',
    ),
    line(
      'shown right',
      count(({ shownRight }) => shownRight),
      '',
    ),
    line(
      'right draft, wrong shown',
      count(({ draftRight, shownRight }) => draftRight && !shownRight),
      '',
    ),
    line(
      'wrong draft, right shown',
      count(({ draftRight, shownRight }) => !draftRight && shownRight),
      '',
    ),
    line('sentences', 'true', 'false'),
    ...fates.map((fate) => line(fate, sentencesOf(fate, true), sentencesOf(fate, false))),
    ...costLines(answers),
  ]
}

/** How many of the answers a person found right; nothing where no form is filled in. */
export function judgedLines(
  answers: readonly KeptAnswer[],
  { out }: { readonly out: string | null },
): readonly string[] {
  const labels = out === null ? new Map<string, Labels>() : labelsIn(formIn(out))
  const judged = answers.flatMap(({ id }) => labels.get(id)?.shownRight ?? [])
  return judged.length === 0 ? [] : [`\nfound right by a person: ${judged.filter(Boolean).length} of ${judged.length}`]
}

/** Calls and tokens by kind, in the median of all answers and in sum; nothing where no model was asked. */
export function costLines(answers: readonly Pick<KeptAnswer, 'calls'>[]): readonly string[] {
  const figures = (calls: readonly Call[]) => [
    calls.length,
    sum(calls.map(({ inputTokens }) => inputTokens)),
    sum(calls.map(({ cachedTokens }) => cachedTokens)),
    sum(calls.map(({ outputTokens }) => outputTokens)),
  ]
  const rowOf = (name: string, isOwn: (call: Call) => boolean) => {
    const each = answers.map(({ calls }) => figures(calls.filter(isOwn)))
    const all = figures(answers.flatMap(({ calls }) => calls.filter(isOwn)))
    return line(name, ...all.map((total, at) => `${median(each.map((own) => own[at] ?? 0))} | ${total}`))
  }
  if (answers.every(({ calls }) => calls.length === 0)) return []
  return [
    '',
    line('median | sum', 'calls', 'input tokens', 'of them cached', 'output tokens'),
    ...callKinds.map((kind) => rowOf(kind, (call) => call.kind === kind)),
    rowOf('all', () => true),
  ]
}

function sum(values: readonly (number | null)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0)
}

function line(name: string, ...cells: readonly (string | number)[]): string {
  return (name.padEnd(26) + cells.map((cell) => String(cell).padStart(20)).join('')).trimEnd()
}

import { z } from 'zod'
import { UsageError } from '../../errors.ts'

/** What a report asks, section by section. */
export const outline = z.object({
  title: z.string(),
  sections: z.array(z.object({ heading: z.string(), questions: z.array(z.string()) })),
})
export type Outline = z.output<typeof outline>

/** What a model may plan; a person's own outline may be longer. */
export const plannedSections = 8
export const plannedQuestions = 4
const most = { sections: 40, questions: 20 }

const words = z.string().trim().min(1)
/** An outline that a report is asked for by. */
export const askedOutline = z.object({
  title: words,
  sections: z
    .array(z.object({ heading: words, questions: z.array(words).min(1).max(most.questions) }))
    .min(1)
    .max(most.sections),
})

/** An outline as a person reads and edits it. */
export function formatOutline({ title, sections }: Outline): string {
  const parts = sections.map(({ heading, questions }) =>
    [`## ${heading}`, ...questions.map((each) => `- ${each}`)].join('\n'),
  )
  return `${[`# ${title}`, ...parts].join('\n\n')}\n`
}

/** Reads an outline: a line "# title", lines "## heading", below each its questions as "- question". Throws `UsageError`. */
export function parseOutline(text: string): Outline {
  const lines = text.split('\n').flatMap((line) => lineOf(line) ?? [])
  const title = lines.find(({ kind }) => kind === 'title')?.words
  const sections: { readonly heading: string; readonly questions: string[] }[] = []
  for (const { kind, words } of lines) {
    if (kind === 'heading') sections.push({ heading: words, questions: [] })
    if (kind === 'question') sections.at(-1)?.questions.push(words)
  }
  const asked = sections.filter(({ questions }) => questions.length > 0)
  const [first] = asked
  if (!first)
    throw new UsageError('The outline has no section with a question: "## heading", and below it "- question".')
  if (asked.length > most.sections || asked.some(({ questions }) => questions.length > most.questions)) {
    throw new UsageError(
      `An outline has at most ${most.sections} sections, and each at most ${most.questions} questions.`,
    )
  }
  return { title: title ?? first.heading, sections: asked }
}

/** The outline that a model has planned; null if its reply is none. */
export function readPlan(reply: string): Outline | null {
  try {
    const { title, sections } = parseOutline(reply)
    const few = sections.slice(0, plannedSections)
    return { title, sections: few.map((each) => ({ ...each, questions: each.questions.slice(0, plannedQuestions) })) }
  } catch {
    return null
  }
}

/** What a line is; null for one of other words. */
function lineOf(line: string) {
  const [, mark, text = ''] = /^(##?|[-*]|\d{1,9}\.)\s(.*)$/.exec(line.trim()) ?? []
  const words = text.trim()
  if (mark === undefined || words === '') return null
  return { kind: mark === '#' ? 'title' : mark === '##' ? 'heading' : 'question', words } as const
}

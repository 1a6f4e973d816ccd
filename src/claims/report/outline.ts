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

/** What a line is; null for one of other words. */
function lineOf(line: string) {
  const [, mark, words = ''] = /^\s*(##?|[-*]|\d+\.)\s+(.*\S)\s*$/.exec(line) ?? []
  if (mark === undefined) return null
  return { kind: mark === '#' ? 'title' : mark === '##' ? 'heading' : 'question', words } as const
}

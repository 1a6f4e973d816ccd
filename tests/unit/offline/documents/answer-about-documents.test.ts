import { describe, expect, it } from 'vitest'
import type { EvidencePassage } from '../../../../src/events/index.ts'
import { answerAboutDocuments } from '../../../../src/offline/documents/answer-about-documents.ts'
import type { ExtractiveParts } from '../../../../src/offline/parts/parts.ts'
import { libraryOf } from '../../models/extractive/documents/library.ts'

const said = 'Hamlet was written by William Shakespeare.'

/** An essay that is called as the play it is on, by an author of its own; `text` is the passage found in it. */
async function ask(question: string, text: string) {
  const { documents, evidence, parts } = libraryOf({ 'hamlet.md': `Hamlet\nby Jo Ferris\n${said}` })
  const found: readonly EvidencePassage[] = evidence.map((passage) => ({ ...passage, text }))
  // The other parts are not needed to read a title page.
  const answering = { ...parts, documents: async () => documents, search: async () => [] } as unknown as ExtractiveParts
  return answerAboutDocuments({ agent: 'synthesis', question, evidence: found }, answering)
}

describe('“Who wrote Hamlet?” over an essay called Hamlet', () => {
  it('is left to the sentence that says who wrote the play', async () => {
    expect(await ask('Who wrote Hamlet?', said)).toBeNull()
  })

  it('is answered with the essay’s author where its text does not say it', async () => {
    const answer = await ask('Who wrote Hamlet?', 'Hamlet\nby Jo Ferris\nThe play has five acts.')
    expect(answer?.text).toContain('Jo Ferris')
    expect(answer?.confidence).toBe(0.9)
  })

  it('is answered with the essay’s author where the essay is asked about', async () => {
    const answer = await ask('Who wrote the Hamlet essay?', `Hamlet\nby Jo Ferris\n${said}`)
    expect(answer?.text).toContain('Jo Ferris')
  })
})

describe('an author whom no line of the document names', () => {
  const authorOf = async (from: string) => {
    const { documents, evidence, parts } = libraryOf({ 'kestrel.pdf': 'Kestrel: A Queue\nIt survives power loss.' })
    const card = async (id: string) => {
      const read = await parts.card(id)
      return read && { ...read, metadata: { ...read.metadata, authors: [{ value: ['Ada Quist'], from }] } }
    }
    const answering = { card, documents: async () => documents, search: async () => [] } as unknown as ExtractiveParts
    const task = { agent: 'synthesis' as const, question: 'Who wrote the Kestrel paper?', evidence }
    return answerAboutDocuments(task, answering)
  }

  it('is not said where only the properties of the file state it', { tags: ['Q12'] }, async () => {
    expect(await authorOf('PDF properties')).toBeNull()
  })

  it.each(['library set', 'papers/kestrel.pdf.yaml'])('is said with who set it: %s', async (from) => {
    expect((await authorOf(from))?.remarks.join()).toMatch(/is by Ada Quist, as /)
  })
})

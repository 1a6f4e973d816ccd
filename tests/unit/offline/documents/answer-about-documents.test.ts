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
  const answering = {
    ...parts,
    documents: async () => documents,
    search: async () => [],
    contentStems: (words: string) =>
      parts.contentStems(words).filter((word) => !['who', 'the', 'wrote', 'and'].includes(word)),
  } as unknown as ExtractiveParts // The other parts are not needed to read a title page.
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

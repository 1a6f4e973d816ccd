import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyDraft } from '../../../src/answers/verification/verify-draft.ts'
import { honestAnswers } from '../../fixtures/honest-answers.ts'
import { honestDenials } from '../../fixtures/honest-denials.ts'
import { openPapers, type Papers } from '../../fixtures/sample-papers.ts'
import { cited } from '../../fixtures/workflow.ts'

let papers: Papers
beforeAll(async () => {
  papers = await openPapers()
})
afterAll(() => papers.close())

/** Why each sentence of the paper with these quotes is dropped; empty if it is kept. */
async function reasons(paper: string, sentence: string, quotes: readonly string[]): Promise<readonly string[]> {
  const evidence = await papers.evidenceFor(sentence, paper, quotes)
  const draft = sentence + quotes.map((quote) => cited('', 'P1', quote)).join('')
  const { dropped } = await verifyDraft({ draft, question: '', evidence, pageTextOf: papers.pageTextOf })
  return dropped.map(({ reason }) => reason)
}

/** The share of the honest answers whose altered form is caught; those that cannot be altered in this way do not count. */
async function shareCaught(
  alter: (sentence: string) => string,
): Promise<{ readonly of: number; readonly caught: number }> {
  let of = 0
  let caught = 0
  for (const [paper, sentence, ...quotes] of honestAnswers) {
    const altered = alter(sentence)
    if (altered === sentence) continue
    of += 1
    if ((await reasons(paper, altered, quotes)).length > 0) caught += 1
  }
  return { of, caught }
}

describe('a sentence', () => {
  it.each(honestAnswers)('of an honest answer is kept: %s: %s', async (paper, sentence, ...quotes) => {
    expect(await reasons(paper, sentence, quotes)).toEqual([])
  })

  it.each(honestDenials)(
    'that denies, bounds or compares honestly is kept: %s: %s',
    async (paper, sentence, ...quotes) => {
      expect(await reasons(paper, sentence, quotes)).toEqual([])
    },
  )

  const first = 'lost-updates.pdf'
  it.each([
    [first, 'Leases go back to Lamport.', 'The idea of a lease is due to Gray and Cheriton', /names Lamport/],
    [
      first,
      'Leases go back to the ACM and to GPT-5.',
      'The idea of a lease is due to Gray and Cheriton',
      /names ACM, GPT-5/,
    ],
    [
      first,
      'With the lease messages were lost.',
      'With the lease no message was lost in 180 trials.',
      /say "not" where/,
    ],
    [first, 'To each caller, all was not well.', 'To each caller, all was well.', /says "not" where/],
    [first, 'Table 7 lists all runs without a guard.', 'All of the 180 trials lost something.', /names tab 7/],
    [first, 'Volcanoes erupt beneath Arctic glaciers yearly.', 'All of the 180 trials lost something.', /Arctic/],
    [
      first,
      'Volcanoes erupt beneath distant glaciers.',
      'All of the 180 trials lost something.',
      /speak of other things/,
    ],
    [
      'checkpoint-growth.pdf',
      'Its store fell by 40,197 bytes per turn.',
      'its store grew by 40,197 bytes per turn',
      /the opposite/,
    ],
    [
      'operations-handbook.docx',
      'Staleness of backups may be over 26 h.',
      'It must be less than 26 hours.',
      /from the other side/,
    ],
    [
      'operations-handbook.docx',
      'At least 17 backups are kept.',
      'Nights, Sundays and months together make seventeen backups at most.',
      /from the other side/,
    ],
    [
      'field-notes.html',
      'The setting must not be picked before any table exists.',
      'The setting has to be chosen before the first table is made',
      /says "not" where/,
    ],
    [
      'field-notes.html',
      'Every loss was seen with the three other methods.',
      'The other three methods lost nothing.',
      /say "not" where/,
    ],
    [
      'field-notes.html',
      'Copying both files never brought everything home in our 20 trials.',
      'Copying both files, one after the other, also brought everything home in our 20 trials, but we do not recommend it.',
      /says "not" where/,
    ],
    [first, 'All of the 190 trials lost something.', 'All of the 180 trials lost something.', /do not state 190/],
    [first, 'Smith et al. (1987) lost something in all trials.', 'All of the 180 trials lost something.', /of 1987/],
    [first, 'All trials lost something: https://evil.example', 'All of the 180 trials lost something.', /an address/],
    [
      'operations-handbook.docx',
      'Section 9.9 forbids copying the main file alone.',
      'Never copy the main file alone',
      /names sec 9.9/,
    ],
  ])('of %s that its quote does not support is dropped: %s', async (paper, sentence, quote, why) => {
    expect(await reasons(paper, sentence, [quote])).toEqual([expect.stringMatching(why)])
  })

  it('that bounds a figure under a condition says nothing about its opposite', async () => {
    const stale = 'A backup that is over 26 h old is stale.'
    expect(await reasons('operations-handbook.docx', stale, ['It must be less than 26 hours.'])).toEqual([])
  })

  // The honest answers paraphrase, so that much of what is wrong with their altered forms does not show in the words.
  it('with a name of nowhere is mostly caught, wherever it stands but at the beginning', async () => {
    const { of, caught } = await shareCaught((text) =>
      text.replace(/(?<=[a-z,]\s)[A-Z][A-Za-z]+\d*(?=[\s.,])/, 'Brzezinski'),
    )
    expect(of).toBeGreaterThan(10)
    expect(caught / of).toBeGreaterThan(0.9)
  })
})

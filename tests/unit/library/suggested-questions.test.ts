import { describe, expect, it } from 'vitest'
import { readCard } from '../../../src/library/card.ts'
import type { Passage } from '../../../src/library/port/document.ts'
import { suggestedQuestions } from '../../../src/library/suggested-questions.ts'

const ponds = [
  'Frogs sleep below the ice until spring has come again.',
  'Their ice cover lasts for most of the winter.',
]

interface Written {
  readonly title?: string | null
  readonly authors?: readonly string[]
  /** Sections with their texts. */
  readonly sections?: Readonly<Record<string, string>>
}

/** The questions of a document with a title, authors and sections. */
function questionsOf({ title = 'On ponds', authors = [], sections = {} }: Written): readonly string[] {
  const page = [title ?? '', authors.join(' and '), ponds[0]].join('\n')
  const place = { documentId: 'a', page: 1, kind: 'text' as const, start: 0 }
  const passages: readonly Passage[] = Object.entries({ '': ponds[0] ?? '', ...sections }).map(
    ([section, text], at) => {
      return { ...place, passageId: `a.${at}`, ordinal: at, section: section || null, end: text.length, text }
    },
  )
  const document = {
    ...{ documentId: 'a', title, authors, year: null, source: 'notes/ponds.md', format: 'markdown' as const },
    ...{ pages: 1, passages: passages.length, tags: [], addedAt: null },
  }
  const metadata = {
    title: title === null ? [] : [{ value: title, from: 'heading' }],
    authors: authors.length > 0 ? [{ value: authors, from: 'byline' }] : [],
    year: [],
  }
  return suggestedQuestions(readCard({ document, metadata, page, passages }), passages)
}

describe('the questions that are suggested of a document', () => {
  it('are about the whole, who wrote it, and what its sections speak of', () => {
    const sections = { '3 Results > 3.1 Ice cover of ponds': `Ponds have an ice cover. ${ponds[1]}` }
    expect(questionsOf({ authors: ['Mara Ilves'], sections })).toEqual([
      'What is “On ponds” about?',
      'Who wrote “On ponds”?',
      'What does “On ponds” say about Ice cover of ponds?',
    ])
  })

  it('name the file where there is no title, and nobody where no author is known', () => {
    expect(questionsOf({ title: null })).toEqual(['What is “ponds.md” about?'])
  })

  it.each([
    ['a part that every paper has', '2 Results', 'These are the results of all our trials.'],
    ['an abstract', 'Abstract of the study', 'This is the abstract of a study.'],
    ['words that no sentence below has', 'Rare swamp birds', 'Herons stand in shallow water.'],
    ['a question', 'Do ponds freeze?', 'Most ponds freeze in winter.'],
    ['words of the title', 'On ponds', 'We write on ponds.'],
  ])('are not about %s', (_, section, text) => {
    expect(questionsOf({ sections: { [section]: text } })).toHaveLength(1)
  })

  it('are four at most, each once', () => {
    const bird = (name: string) => [`${name} of ponds`, `Many ${name.toLowerCase()} live at ponds.`] as const
    const names = ['Herons', 'Ducks', 'Coots', 'Grebes', 'Swans']
    const questions = questionsOf({ sections: Object.fromEntries(names.map(bird)) })
    expect(questions.slice(1)).toEqual(
      ['Herons', 'Ducks', 'Coots'].map((name) => `What does “On ponds” say about ${name} of ponds?`),
    )
  })
})

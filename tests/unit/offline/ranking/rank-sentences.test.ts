import { describe, expect, it } from 'vitest'
import { bearsAnswer, readQuestion } from '../../../../src/offline/ranking/question.ts'
import { type EvidenceText, rankInSteps, rankSentences } from '../../../../src/offline/ranking/rank-sentences.ts'

const passage = (id: string, text: string, more: Partial<EvidenceText> = {}): EvidenceText => ({
  id,
  title: null,
  section: null,
  kind: 'text',
  text,
  score: 0.6,
  ...more,
})

const best = (question: string, ...evidence: EvidenceText[]) => rankSentences(question, evidence)[0]?.text

describe('a question', () => {
  it.each([
    ['How many papers are in the corpus?', 'count'],
    ['How much does it cost?', 'money'],
    ['What percentage of papers have DOIs?', 'share'],
    ['What accuracy does the model reach?', 'measure'],
    ['Who wrote the report?', 'author'],
    ['Who found it?', 'person'],
    ['What does the WHO advise?', 'name'],
    ['What was the last Doctor Who episode?', 'name'],
    ['When was the bridge built?', 'time'],
    ['In which year did it open?', 'time'],
    ['Where was it found?', 'place'],
    ['Why do leaves fall?', 'reason'],
    ['Is the drug safe?', 'yes-no'],
    ['What is a witness replica?', 'definition'],
    ['Which is larger, A or B?', 'comparison'],
    ['How do vaccines work?', 'open'],
  ])('"%s" asks for: %s', (question, kind) => {
    expect(readQuestion(question).kind).toBe(kind)
  })
})

describe('the sentences of the evidence', () => {
  it('come with their place in the passage, best first', () => {
    const text = 'The town is old. The bridge was built in 1872. It is made of iron.'
    const ranked = rankSentences('When was the bridge built?', [passage('a', text)])
    expect(ranked[0]?.text).toBe('The bridge was built in 1872.')
    expect(ranked.every((each) => text.slice(each.start, each.end) === each.text)).toBe(true)
    expect(ranked.map(({ score }) => score)).toEqual(ranked.map(({ score }) => score).sort((a, b) => b - a))
  })

  it('answer better where they hold the kind of thing that is asked for', () => {
    const text = 'The bridge has many visitors each year. The bridge has 2,400 visitors each year.'
    expect(best('How many visitors does the bridge have each year?', passage('a', text))).toContain('2,400')
    const who = 'The prize honours work on cells each year. The prize for work on cells went to Ada Lindqvist.'
    expect(best('Who got the prize for work on cells?', passage('a', who))).toContain('Ada Lindqvist')
  })

  it('do not answer with the number of the question, or the year of a citation', () => {
    const text =
      'Of the 44 papers some release their data (Smith, 2021). Only 2 of the 44 papers release their raw data.'
    expect(best('How many of the 44 papers release their raw data?', passage('a', text))).toMatch(/^Only 2/)
  })

  it('do not answer by asking', () => {
    const text = 'What does a witness replica do? A witness replica votes but stores no data itself.'
    expect(best('What does a witness replica do?', passage('a', text))).toMatch(/votes/)
  })

  it('answer a question for a cost with an amount of money alone', () => {
    const cost = readQuestion('How much does a ferry cost?')
    expect(bearsAnswer(cost, 'The ferry cost the town much in 1990.')).toBe(false)
    expect(bearsAnswer(cost, 'The ferry cost the town 40 dollars a head.')).toBe(true)
  })

  it('answer by what a pronoun at their beginning stands for', () => {
    const text = 'The bridge crosses the river Aar. It is 90 metres long. The road is 40 metres long.'
    expect(best('How many metres long is the bridge across the Aar?', passage('a', text))).toMatch(/^It is 90/)
  })

  it('answer "how many" better with the number of what is counted', () => {
    const text = 'In 1990 the city had its universities renamed. The city has two universities and a zoo.'
    expect(best('How many universities does the city have?', passage('a', text))).toMatch(/^The city has two/)
  })

  it('answer the question for a term with the term', () => {
    const text = 'DNA of the chloroplast is a ring of genes. DNA of the chloroplast is called the plastome.'
    expect(best('What is another name for the DNA of the chloroplast?', passage('a', text))).toMatch(/plastome/)
  })

  it('hold in part a word of which they hold a relative', () => {
    const text = 'The settlers built houses of wood there. The law naturalises all settlers who stayed there.'
    expect(best('When were the settlers naturalized there?', passage('a', text))).toMatch(/^The law/)
  })

  it('are none where there is no evidence', () => {
    expect(rankSentences('Why?', [])).toEqual([])
  })
})

const table = [
  'Table 2: Accuracy of the parsers.',
  'Parser | Titles | Authors',
  'First test',
  'Alpha | 0.93 | 0.89',
  'Beta, tuned | 0.97 | 0.91 ± 0.02',
].join('\n')

describe('the rows of a table', () => {
  it('answer by their label, under the names of the columns', () => {
    const row = rankSentences('What accuracy did Beta reach for authors?', [passage('a', table, { kind: 'table' })])[0]
    expect(row?.text).toBe('Beta, tuned | 0.97 | 0.91 ± 0.02')
    expect(row?.row).toMatchObject({
      label: 'Beta, tuned',
      group: 'First test',
      values: [
        { column: 'Titles', value: '0.97' },
        { column: 'Authors', value: '0.91 ± 0.02' },
      ],
      table: { caption: 'Table 2: Accuracy of the parsers.', headerText: 'Parser | Titles | Authors' },
    })
  })

  it('count their columns from the right, where the first cell spans several rows', () => {
    const spanned = 'Table 3: Scores.\nTask | Set | Old | New\nNER | BC5 | 88.8 | 90.0\nJNL | 77.5 | 77.2'
    const row = rankSentences('What is the new score on JNL?', [passage('a', spanned, { kind: 'table' })])[0]
    expect(row?.row?.values).toEqual([
      { column: 'Old', value: '77.5' },
      { column: 'New', value: '77.2' },
    ])
  })

  it('have no column names where the table has none', () => {
    const bare = 'Table 4: Counts.\nTotal papers | 81.1M\nPapers with DOIs | 52.2M (64.3%)'
    const row = rankSentences('What percentage of papers have DOIs?', [passage('a', bare, { kind: 'table' })])[0]
    expect(row?.row?.values).toEqual([{ column: null, value: '52.2M (64.3%)' }])
  })
})

describe('a question for the hour', () => {
  const nightly = passage('a', 'Make the nightly backup with the copy command and a new name for each night.')
  const rhythm = passage('b', 'Make one backup every night at 02:30 and keep it for six months.')

  it.each(['At what time should the nightly backup be made?', 'What time is the nightly backup made?'])(
    'is answered by a time of day, not by a length of time: %s',
    (question) => {
      const [first, second] = rankSentences(question, [nightly, rhythm])
      expect(first).toMatchObject({ id: 'b', bearsAnswer: true })
      expect(second).toMatchObject({ id: 'a', bearsAnswer: false })
    },
  )

  it('is another than one for a period', () => {
    const [first] = rankSentences('In what time period was the mill built?', [passage('a', 'It was built in 1850.')])
    expect(first?.bearsAnswer).toBe(true)
  })
})

describe('a question for who holds an office', () => {
  it('is answered by a name rather than by the words of the office', () => {
    const address = passage('a', 'The chief executive officer is elected by the board.', { score: 0.9 })
    const named = passage('b', 'Approved by Helen Marsh, the chief executive officer, on behalf of the board.')
    const ranked = rankSentences('Who is the chief executive officer?', [address, named])
    expect(ranked.map(({ id }) => id)).toEqual(['b', 'a'])
  })
})

describe('ranking in steps', () => {
  const evidence = Array.from({ length: 40 }, (_, i) =>
    passage(`P${i}`, `Filter ${i} removed ${i} pages. It was built in ${1900 + i}.`),
  )
  const question = readQuestion('How many pages did filter 7 remove?')

  it('gives what ranking at once gives', async () => {
    const weights = new Map(question.stems.map((stem) => [stem, 1]))
    const inSteps = await rankInSteps(question, evidence, weights, async () => {})
    expect(inSteps).toEqual(rankSentences(question, evidence, weights))
  })

  it('stops at a deadline between two sentences', async () => {
    let pauses = 0
    const pause = async () => {
      pauses += 1
      if (pauses > 50) throw new Error('The time is over.')
    }
    await expect(rankInSteps(question, evidence, new Map(), pause)).rejects.toThrow('The time is over.')
    expect(pauses).toBe(51)
  })
})

import { describe, expect, it } from 'vitest'
import { mergeReply, resolvesNothing } from '../../../src/agents/clarification-reply.ts'

const original = 'What accuracy did they report?'
const candidates = ['The Marble corpus', 'The Halden filter', 'A third paper']

describe('a reply to a clarification', () => {
  it.each(['', '  ', '?', "I don't know", 'I don’t know.', 'I do not know', 'no idea', 'Not sure…', 'whatever', 'idk'])(
    'resolves nothing when it is %j',
    { tags: ['R9'] },
    (reply) => {
      expect(resolvesNothing(reply)).toBe(true)
    },
  )

  it.each(['everything', 'All of it.', 'the first one', 'The Halden filter', 'SciBERT', '2', 'in 2021'])(
    'resolves the question when it is %j',
    { tags: ['R10'] },
    (reply) => {
      expect(resolvesNothing(reply)).toBe(false)
    },
  )

  it.each(['everything', 'Everything!', 'all of it', 'all', 'both', 'any of them', 'each of them', 'every one'])(
    'leaves the question as it is for %j',
    { tags: ['R10'] },
    (reply) => {
      expect(mergeReply(original, reply, candidates)).toBe(original)
    },
  )

  it.each([
    ['the first one', 'The Marble corpus'],
    ['First.', 'The Marble corpus'],
    ['the second', 'The Halden filter'],
    ['second paper', 'The Halden filter'],
    ['the last one', 'A third paper'],
    ['3', 'A third paper'],
  ])('picks the candidate that %j names', { tags: ['R10'] }, (reply, chosen) => {
    expect(mergeReply(original, reply, candidates)).toBe(`What accuracy did they report (${chosen})?`)
  })

  const known = [
    'Leaf disease from photographs (Zhang et al., 2019)',
    'Counting trees from above (Osei, 2021)',
    'Annual report (2022)',
    'Annual report (2023)',
  ]

  it.each([
    ['Zhang', 'Leaf disease from photographs'],
    ['the one by Osei', 'Counting trees from above'],
    ['the 2021 one', 'Counting trees from above'],
    ['I mean the paper about trees', 'Counting trees from above'],
    ['number 2', 'Counting trees from above'],
    ['the 2023 report', 'Annual report, 2023'],
    ['the first and the second', 'Leaf disease from photographs and Counting trees from above'],
    ['the annual report', 'the annual report'],
  ])('knows the document by author, year or words of its title: %j', { tags: ['R10'] }, (reply, chosen) => {
    expect(mergeReply(original, reply, known)).toBe(`What accuracy did they report (${chosen})?`)
  })

  it('takes both of two, and any where either will do', { tags: ['R10'] }, () => {
    const two = known.slice(0, 2)
    expect(mergeReply(original, 'both', two)).toContain('Leaf disease from photographs and Counting trees from above')
    for (const reply of ['either', 'any will do', "doesn't matter", 'whichever one', "I don't mind"]) {
      expect([reply, mergeReply(original, reply, two)]).toEqual([reply, original])
    }
  })

  it.each(["I really don't know which", "can't remember", 'not sure which one', 'neither', 'no clue'])(
    'resolves nothing when it is %j, too',
    { tags: ['R9'] },
    (reply) => {
      expect(resolvesNothing(reply)).toBe(true)
    },
  )

  it('is merged with the original question', { tags: ['R8'] }, () => {
    expect(mergeReply(original, 'The Halden filter.', [])).toBe('What accuracy did they report (The Halden filter)?')
    expect(mergeReply('Tell me more about it.', 'the corpus', [])).toBe('Tell me more about it (the corpus)?')
    expect(mergeReply(original, 'the fourth one', candidates)).toBe('What accuracy did they report (the fourth one)?')
  })

  it('takes the place of the original when it is a whole question of its own', () => {
    const question = 'How many pages does Marble hold?'
    expect(mergeReply(original, question, candidates)).toBe(question)
    expect(mergeReply(original, 'in 2021?', candidates)).toBe('What accuracy did they report (in 2021)?')
  })

  it.each(['Who wrote Hamlet?', 'What is a lease?', 'How old is it, the Halden dam?'])(
    'that stands alone, as %j does, takes the place of the question that was asked back',
    { tags: ['R10'] },
    (reply) => {
      expect(mergeReply(original, reply, candidates)).toBe(reply)
    },
  )

  it.each(['In children?', 'And the Halden one?', 'SciBERT?', 'Which one?'])(
    'that says too little alone, as %j does, adds to it',
    { tags: ['R10'] },
    (reply) => {
      expect(mergeReply(original, reply, candidates)).toMatch(/^What accuracy did they report \(/)
    },
  )
})

describe('40 replies in everyday words', () => {
  const offered = ['Staff handbook of the clinic (2022)', 'Annual report 2023', 'Luftentfeuchter LT 40']
  const answers = [
    'the handbook',
    'the first one',
    '2023',
    'the annual report?',
    'the clinic one?',
    'is there more than one report?',
    'the dehumidifier I mean',
    'den Luftentfeuchter',
    'I meant the LT 40',
    'probably the one from 2023?',
    'the one about staff',
    'annual report please',
    'number two',
    'the German manual?',
    'all of them',
    'the leave for nurses',
    'in 2022?',
    'the net one',
    'per month',
    'for part-time staff?',
  ]
  const questions = [
    'Who runs the clinic?',
    'What is the net income for 2023?',
    'How long is the hose?',
    'When does leave lapse?',
    'Is the filter washable?',
    'where do visitors sign in',
    'Wie groß ist der Tank?',
    'Was kostet der Filter?',
    'Who approves leave?',
    'What did R&D cost?',
    'Which plant closes?',
    'how much water does it hold?',
    'Does the LT 40 have a hose?',
    'What is the dividend?',
    'Why did the customer leave?',
    'Qui prête les livres ?',
    '¿Cuánto cuesta la entrada?',
    'How many bees were found?',
    'Can leave be carried over?',
    'Who paid for the survey?',
  ]
  const reply = (text: string) => mergeReply('How many days do I get?', text, offered)

  it('are told apart: an answer is added to the question that was asked back, a question of its own takes its place', () => {
    expect(answers.filter((each) => reply(each) === each)).toEqual([
      'is there more than one report?',
      'probably the one from 2023?',
      'the German manual?',
      'for part-time staff?',
    ])
    expect(questions.filter((each) => reply(each) !== each)).toEqual(['where do visitors sign in'])
  })
})

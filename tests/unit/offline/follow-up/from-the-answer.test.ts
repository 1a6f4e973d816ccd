import { describe, expect, it } from 'vitest'
import type { HistoryMessage } from '../../../../src/models/port/model.ts'
import { resolveFollowUp } from '../../../../src/offline/follow-up/resolve-follow-up.ts'

type Turn = readonly [question: string, answer: string, ...cited: string[]]

const said = (question: string, ...turns: readonly Turn[]): string =>
  resolveFollowUp(
    question,
    turns.flatMap(([text, answer, ...cited]): HistoryMessage[] => [
      { role: 'user', text },
      { role: 'assistant', text: answer, cited },
    ]),
  ).question

const PIPE: Turn = ['How much pipe was replaced in 2022?', 'We replaced 8 km. [1]', 'Report 2022']
const LANDLORD: Turn = ['Who is the landlord of Unit 7?', 'Mill Yard Ltd is the landlord. [1]', 'Lease']
const TENANT: Turn = [
  'And the tenant?',
  'Between **Mill Yard Ltd** (the Landlord) and **Ada Lind** (the Tenant). [1]',
  'Lease',
]
const ALLOWANCE: Turn = ['What is the daily meal allowance in version 1.0?', '45 euros. [1]', 'Travel Policy']
const TITLED: Turn = ['Who wrote What Survives kill -9?', 'Lindqvist and Okafor. [1]', 'What Survives kill -9']
const CACHING: Turn = ['Which papers discuss caching?', 'Two do. [1] [2]', 'Why Caches Lie', 'It Depends']

describe('a follow-up on a year', () => {
  it.each([
    ['And the year after?', 'How much pipe was replaced in 2023?'],
    ['And the year before?', 'How much pipe was replaced in 2021?'],
    ['What about two years later?', 'How much pipe was replaced in 2024?'],
    ['What was it the year before?', 'How much pipe was replaced in 2021?'],
    ['How many leaks were there in the following year?', 'How many leaks were there in 2023?'],
  ])('counts from the year last spoken of: "%s"', (question, standalone) => {
    expect(said(question, PIPE)).toBe(standalone)
  })

  it('takes the year from the one document cited, where the question names none', () => {
    const employees: Turn = ['How many employees are there?', 'We employ 39 people. [1]', 'Report 2022']
    expect(said('And the year after?', employees)).toBe('How many employees are there in 2023?')
  })

  it.each([
    ['And the year after?', ['Compare 2022 and 2024 by number of leaks.', '211 and 198.', 'A', 'B'] as const],
    ['And the year before last?', PIPE],
    ['What happened last year?', PIPE],
  ])('leaves "%s" alone where the year is not certain', (question, turn) => {
    expect(said(question, turn)).toBe(question)
  })
})

describe('a follow-up on a role', () => {
  it('puts a role in the place of a role, and a person in that of "she"', () => {
    expect(said('And the tenant?', LANDLORD)).toBe('Who is the tenant of Unit 7?')
    expect(said('Can she sublet it?', LANDLORD, TENANT)).toBe('Can Ada Lind sublet Unit 7?')
    expect(said('What happens if she does not pay?', LANDLORD, TENANT)).toBe('What happens if Ada Lind does not pay?')
  })

  it('takes the person who is said to have the role, not the first one named', () => {
    const chief: Turn = ['Who is the chair?', 'Karl Ebner was succeeded by the chair, Nora Wirth. [1]', 'Report']
    expect(said('Where does she live?', chief)).toBe('Where does Nora Wirth live?')
  })
})

it('names nobody for "she" where the answer gives the role no name', () => {
  const unnamed: Turn = [
    'Who is the tenant of Unit 7?',
    'The Landlord lets to the Tenant Unit 7, Mill Yard. [1]',
    'Lease',
  ]
  expect(said('Can she pay later?', unnamed)).toBe('Can she pay later?')
})

describe('a follow-up on a figure', () => {
  it('asks about the document, when it asks who approved "it"', () => {
    expect(said('Who approved it?', ALLOWANCE)).toBe('Who approved “Travel Policy”?')
  })

  it('puts the kind of expense in the place of another', () => {
    expect(said('And hotels?', ALLOWANCE)).toBe('What is the daily hotel allowance in version 1.0?')
    const fee: Turn = ['What is the fee for late payment?', '50 euros. [1]', 'Terms']
    expect(said('And early termination?', fee)).toBe('What is the fee for early termination?')
  })

  it('is left alone where its noun would take the place of nothing like it', () => {
    const approved: Turn = ['Who approved it?', 'Ines Faro. [1]', 'Travel Policy']
    expect(said('And hotels?', ALLOWANCE, approved)).toBe('And hotels?')
  })
})

describe('a follow-up on a place', () => {
  const TURIN: Turn = ['How many patients were enrolled in Turin?', 'Turin: 71. [1]', 'Trial']
  const DEPOT: Turn = ['Where is the depot?', 'On Quay Street. [1]', 'Handbook']

  it('says where "there" is', () => {
    expect(said('Who was the site lead there?', TURIN)).toBe('Who was the site lead in Turin?')
    expect(said('How do I get there?', DEPOT)).toBe('How do I get to the depot?')
  })

  it.each(['Was there a control group?', 'How many turns are there?'])('leaves "%s" alone', (question) => {
    expect(said(question, TURIN)).toBe(question)
  })
})

describe('"Why?"', () => {
  it.each([
    ['Are contractors covered by the policy?', 'No. Contractors are not covered by the policy. [1]'],
    ['Are contractors covered by the policy?', 'Contractors are not covered by the policy. [1]'],
  ])('after "%s" and "%s" asks why what was answered is so', (question, answer) => {
    expect(said('Why?', [question, answer, 'Policy'])).toBe('Why are contractors not covered by the policy?')
  })

  it('is left alone where the answer is no statement', () => {
    expect(said('Why?', TITLED)).toBe('Why?')
  })
})

describe('a title with verbs and pronouns in it', () => {
  it('is taken whole', () => {
    expect(said('When was it published?', TITLED)).toBe('When was “What Survives kill -9” published?')
    expect(said('What did they find?', TITLED)).toBe('What did “What Survives kill -9” find?')
  })

  it('has no pronoun to complete', () => {
    expect(said('Who wrote What It Costs to Wait?', CACHING)).toBe('Who wrote What It Costs to Wait?')
  })
})

it.each(['Which one is newer?', 'Which is newer?', 'Which of the two is newer?'])(
  '"%s" asks about the documents cited',
  (question) => {
    expect(said(question, CACHING)).toBe('Which of “Why Caches Lie” and “It Depends” is newer?')
  },
)

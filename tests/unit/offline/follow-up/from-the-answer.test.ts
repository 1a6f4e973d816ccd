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
const ALLOWANCE: Turn = ['What is the daily meal allowance in version 1.0?', '45 euros. [1]', 'Travel Policy']
const TITLED: Turn = ['Who wrote What Survives kill -9?', 'Lindqvist and Okafor. [1]', 'What Survives kill -9']
const CACHING: Turn = ['Which papers discuss caching?', 'Two do. [1] [2]', 'Why Caches Lie', 'It Depends']

describe('a follow-up on a year', () => {
  it.each([
    'And the year after?',
    'What about two years later?',
    'And the year before last?',
    'What happened last year?',
  ])('is left alone where it does not say which one: "%s"', (question) => {
    expect(said(question, PIPE)).toBe(question)
  })
})

describe('a follow-up on a role', () => {
  it('puts a role in the place of a role', () => {
    expect(said('And the tenant?', LANDLORD)).toBe('Who is the tenant of Unit 7?')
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

  it('is left alone where its noun would take the place of nothing like it', () => {
    const approved: Turn = ['Who approved it?', 'Ines Faro. [1]', 'Travel Policy']
    expect(said('And hotels?', ALLOWANCE, approved)).toBe('And hotels?')
  })
})

describe('"Why?"', () => {
  it('asks the last question again', () => {
    expect(said('Why?', ['Are contractors covered by the policy?', 'No. [1]', 'Policy'])).toBe(
      'Why are contractors covered by the policy?',
    )
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

it.each(['Which one is newer?', 'Which of the two is newer?'])('"%s" asks about the documents cited', (question) => {
  expect(said(question, CACHING)).toBe('Which of “Why Caches Lie” and “It Depends” is newer?')
})

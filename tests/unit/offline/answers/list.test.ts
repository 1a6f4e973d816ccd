import { describe, expect, it } from 'vitest'
import { answeringByRule, passage } from './answering.ts'

const { answer, read } = answeringByRule()

describe('a sentence that announces a list', () => {
  it('is followed by the items, each quoted', async () => {
    const text =
      'Check two numbers every morning.\n1. The size of the log. It stays small.\n2. The age of the backup.\nEnd.'
    expect((await answer('What should I check every morning?', passage('P1', text))).text.split('\n')).toEqual([
      'Check two numbers every morning:<cite id="P1">Check two numbers every morning.</cite>',
      '- The size of the log.<cite id="P1">1. The size of the log.</cite>',
      '- The age of the backup.<cite id="P1">2. The age of the backup.</cite>',
    ])
  })

  it('is followed by as many sentences as it says', async () => {
    const text = 'Two roles are enough. The keeper makes backups. The librarian adds documents. One may hold both.'
    expect(await read('What are the two roles?', passage('P1', text))).toBe(
      'Two roles are enough:\n- The keeper makes backups.\n- The librarian adds documents.',
    )
  })

  it('is followed by the paragraphs that it says, also where the next passage goes on', async () => {
    const section = '4 Rules'
    const first = 'Three rules follow from the trials.\nAnswer late. It costs little.\nChoose the setting that is'
    const evidence = [
      passage('P1', first, { section, score: 0.9 }),
      passage('P2', 'slow.\nExpect duplicates. They are rare.', { section }),
      passage('P3', 'lower still.\nBe kind to all.', { section: '5 Limits' }),
    ]
    expect(await read('Which rules follow from the trials?', ...evidence)).toBe(
      'Three rules follow from the trials:\n- Answer late.\n- Choose the setting that is\n- Expect duplicates.',
    )
  })

  it('is followed by the rows of the table below it', async () => {
    const announced = passage('P1', 'Here is what a duck could eat:', { section: 'Food' })
    const table = passage('P2', 'Kind | Grams\nLeaves | 50\nBerries | 150', {
      section: 'Food',
      kind: 'table',
      score: 0.1,
    })
    expect(await read('What could a duck eat?', announced, table)).toBe(
      'Here is what a duck could eat:\n- Leaves, 50\n- Berries, 150',
    )
  })

  it('is no answer where its list is not at hand', async () => {
    const evidence = passage(
      'P1',
      'The duck could eat what follows:\nA duck could eat leaves and berries all day long.',
    )
    expect(await read('What could a duck eat?', evidence)).toBe('A duck could eat leaves and berries all day long.')
  })

  it('answers a question for the number alone', async () => {
    const text = 'Two roles are enough. The keeper makes backups. The librarian adds documents.'
    expect(await read('How many roles are enough?', passage('P1', text))).toBe('**Two** roles are enough.')
  })
})

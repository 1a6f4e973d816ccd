import { describe, expect, it } from 'vitest'
import type { Sound } from '../../../bench/torture/mutants/documents.ts'
import { mutate } from '../../../bench/torture/mutants/mutate.ts'
import { randomFrom } from '../../../bench/torture/processes.ts'
import { docxParagraph, makeDocx } from '../../fixtures/documents/make-docx.ts'

const text = { extension: '.txt', bytes: Buffer.from('The pond holds 81.1 million litres. It was dug in 2021.') }
const word = { extension: '.docx', bytes: makeDocx(docxParagraph('The pond holds 81.1 million litres.')) }

describe('a damaged file', () => {
  it('is the same for the same seed, differs from its original, and is not larger than the limit', async () => {
    for (let seed = 0; seed < 50; seed += 1) {
      const of = (sound: Sound) => mutate(sound, [text, word], randomFrom(seed))
      for (const sound of [text, word]) {
        const bytes = await of(sound)
        expect(bytes.equals(await of(sound)), `seed ${seed}`).toBe(true)
        expect(bytes.length).toBeLessThanOrEqual(2_100_000)
      }
    }
    const results = await Promise.all([1, 2, 3, 4, 5].map((seed) => mutate(text, [text, word], randomFrom(seed))))
    expect(new Set(results.map((bytes) => bytes.toString('hex'))).size).toBe(5)
  })
})

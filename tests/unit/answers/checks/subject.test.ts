import { describe, expect, it } from 'vitest'
import { exchangedNoun } from '../../../../src/answers/checks/subject.ts'

describe('what a sentence counts', () => {
  it('is another noun than that of its quote', () => {
    expect(exchangedNoun('It came on 2 floppies.', ['It came on 2 discs for all.'], '.')).toBe('floppies')
  })

  it.each(['It came on 2 CD-ROMs.', 'It came as a 2 CD-ROM set.', 'It came on 2 CD discs.'])(
    'is the same noun with a hyphen: %s',
    (sentence) => {
      expect(exchangedNoun(sentence, ['shipped on 2 CD-ROM'], '.')).toBeNull()
    },
  )
})

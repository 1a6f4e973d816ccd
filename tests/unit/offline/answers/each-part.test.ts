import { describe, expect, it } from 'vitest'
import { answeringByRule, passage } from './answering.ts'

const { answer, read } = answeringByRule()

describe('a question of several parts', () => {
  const pages = passage('P1', 'The Marble corpus holds 81 million pages.')
  const figures = passage('P2', 'The Marble corpus holds 12 million figures.')

  it('is answered with a sentence for each part', async () => {
    expect(await read('How many pages and how many figures does the Marble corpus hold?', pages, figures)).toBe(
      'The Marble corpus holds **81 million** pages. The Marble corpus holds **12 million** figures.',
    )
  })

  it('names the part that nothing answers', async () => {
    const result = await answer('How many pages does the Marble corpus hold and who painted the Halden ceiling?', pages)
    expect(result).toMatchObject({
      basis: 'part',
      remarks: ['Nothing was found on this part of the question: “who painted the Halden ceiling”.'],
    })
    expect(result.text).toMatch(/^The Marble corpus holds \*\*81 million\*\* pages\.<cite/)
  })

  it('takes no sentence without a number for an answer to "how many"', async () => {
    const idle = passage('P2', 'Figures of the Marble corpus hold colours, and hold the corpus together.')
    const result = await answer(
      'How many pages does the Marble corpus hold and how many figures does it hold?',
      pages,
      idle,
    )
    expect(result.text).not.toContain('colours')
  })

  it('knows what "it" is in the second part', async () => {
    const stock = passage('P1', 'The stock arm leaves 800 checkpoints.')
    const writes = passage('P2', 'The stock arm leaves 1,000 writes. The exit arm leaves no writes.')
    expect(
      await read('How many checkpoints does the stock arm leave and how many writes does it leave?', stock, writes),
    ).toBe('The stock arm leaves **800** checkpoints. The stock arm leaves **1,000** writes.')
  })

  it('asks each part for the year that the last one names', async () => {
    const report = (year: number, leaks: number, pumps: number) =>
      passage(`P${year}`, `We repaired ${leaks} leaks. We replaced ${pumps} pumps.`, { title: `Annual Report ${year}` })
    const reports = [report(2022, 211, 6), report(2023, 246, 9), report(2024, 198, 12)]
    expect(await read('How many leaks were repaired and how many pumps were replaced in 2024?', ...reports)).toBe(
      'We repaired **198** leaks. We replaced **12** pumps.',
    )
  })

  it('takes no length of time for "how much"', async () => {
    const paid = passage('P1', 'The tenant pays a deposit of €5,400 on signing.')
    const returned = passage('P2', 'The landlord returns the deposit within 28 days after the end of the term.')
    const said = await read('How much is the deposit and when is it returned?', returned, paid)
    expect(said).toBe(
      'The tenant pays a deposit of **€5,400** on signing. ' +
        'The landlord returns the deposit within **28 days after** the end of the term.',
    )
  })

  it('finds a weight and a noise by other words than the question has', async () => {
    const device = passage('P1', 'The noise level of the device is below 58 dB. The device weighs 17 kg without rotor.')
    expect(await read('How heavy is the device and how loud is it?', device)).toBe(
      'The device weighs **17 kg** without rotor. The noise level of the device is below **58 dB**.',
    )
  })
})

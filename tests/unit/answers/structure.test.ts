import { describe, expect, it } from 'vitest'
import { verifyDraft } from '../../../src/answers/verification/verify-draft.ts'
import { cited } from '../../fixtures/workflow.ts'
import { evidenceOf, observation } from '../agents/observation.ts'

const dose = 'The dose of aspirin for children is 12 mg a day.'
const verdict = 'The defendant was found not guilty of fraud on 3 March 2021.'
const page = `${dose} ${verdict} Lethal cases are safe to report.`

async function verify(draft: string, question = 'What is the dose of aspirin?') {
  const evidence = evidenceOf(observation({ title: 'Aspirin trial', section: 'Daily dose', text: page, start: 0 }))
  const { text, dropped } = await verifyDraft({ draft, question, evidence, pageTextOf: async () => page })
  return { text, unsupported: dropped.map(({ sentence }) => sentence) }
}

const good = cited(dose, 'P1', dose)
const acquitted = cited('The defendant was not guilty of fraud.', 'P1', 'not guilty of fraud')

describe('a heading of an answer', () => {
  it.each([
    '**Aspirin is not safe for children:**',
    '## Aspirin is safe for children',
    '# Fraudster',
    '**Lethal!!**:',
    '**Lethal:**',
    '## No',
    '**Yes:**',
    '## ²⁴⁰⁰ children',
    '| Aspirin | is safe |',
  ])('is dropped if it claims something: %s', async (line) => {
    expect(await verify(`${line}\n\n${good}`)).toEqual({ text: `${dose} [1]`, unsupported: [line] })
  })

  it('is dropped if what holds beneath it denies it, or the question asks whether it is so', async () => {
    for (const line of ['## The defendant was guilty of fraud', '## Defendant guilty of fraud']) {
      const { unsupported } = await verify(`${line}\n\n${acquitted}`, 'Was the defendant guilty of fraud?')
      expect(unsupported).toEqual([line])
    }
  })

  it.each([
    '## Aspirin trial',
    '**Daily dose:**',
    '## Children',
    '**Answer:**',
    'The results are:',
    '## Dose of aspirin',
  ])('stays if it only names what is asked, quoted or said beneath: %s', async (line) => {
    expect(await verify(`${line}\n\n${good}`)).toEqual({ text: `${line}\n\n${dose} [1]`, unsupported: [] })
  })

  it('stays above a sentence that denies, if it names only what that is about', async () => {
    expect((await verify(`## Defendant\n\n${acquitted}`, 'Was the defendant guilty?')).unsupported).toEqual([])
  })
})

describe('a quote', () => {
  const acquittal = 'guilty of fraud on 3 March 2021'

  it('that begins after the "not" of its sentence supports only negated claims', async () => {
    const guilty = 'The defendant was found guilty of fraud on 3 March 2021.'
    expect(await verify(cited(guilty, 'P1', acquittal))).toEqual({ text: '', unsupported: [guilty] })
    const denied = 'The defendant was not found guilty of fraud on 3 March 2021.'
    expect((await verify(cited(denied, 'P1', acquittal))).unsupported).toEqual([])
  })

  it.each([
    ['Aspirin is dangerous.', '12'],
    ['The company was corrupt.', 'The'],
    ['Yes, lethal.', dose],
    ['No.', dose],
  ])('that does not say so bears nothing out: %s: %s', async (sentence, quote) => {
    expect(await verify(cited(sentence, 'P1', quote))).toEqual({ text: '', unsupported: [sentence] })
  })

  it.each([
    ['It is 12 mg a day.', '12 mg a day'],
    ['A daily dose.', dose],
  ])('that says so may be short, and so may the sentence: %s: %s', async (sentence, quote) => {
    expect((await verify(cited(sentence, 'P1', quote))).unsupported).toEqual([])
  })
})

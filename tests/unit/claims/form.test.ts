import { describe, expect, it } from 'vitest'
import { type ColumnForm, readForm, valueIn } from '../../../src/claims/table/form.ts'
import { readQuestions } from '../../../src/claims/table/read-questions.ts'
import { formInWords } from '../../../src/claims/table/table-text.ts'
import { UsageError } from '../../../src/errors.ts'

const effects = ['significantly increased', 'significantly decreased', 'no significant difference']

describe('the value of a sentence', { tags: ['Q18'] }, () => {
  it.each<[ColumnForm, string, string | null]>([
    ['text', 'Lund group: It was released by the Lund group.', 'Lund group'],
    ['text', '**Lund**: It was released there.', 'Lund'],
    ['text', 'It was released at 3:1 odds.', 'It was released at 3:1 odds.'],
    ['yes/no', 'Yes: it does.', 'yes'],
    ['yes/no', '**No**: it does not.', 'no'],
    ['yes/no', 'No data: the report is silent.', null],
    ['yes/no', 'Not reported: the report is silent.', null],
    ['yes/no', 'No significant increase was found.', null],
    ['number', '12.5 mg/kg: The dose was 12.5 mg/kg.', '12.5 mg/kg'],
    ['number', '3,5 mg: Die Dosis war 3,5 mg.', '3,5 mg'],
    ['number', '1.234,5 kg: Das Gewicht.', '1.234,5 kg'],
    ['number', 'CHF 3.2 million: The sum.', 'CHF 3.2 million'],
    ['number', '3–5 days: The stay took 3–5 days.', '3–5 days'],
    ['number', '0·82 (95% CI 0·65–1·03): The aOR.', '0·82 (95% CI 0·65–1·03)'],
    ['number', '−3.4 (SD 2.1): The mean.', '−3.4 (SD 2.1)'],
    ['number', 'Patients: 120 were enrolled.', '120'],
    ['number', 'In 2019, the trial enrolled 120 patients.', null],
    ['number', 'The dose was 12.5 mg/kg.', null],
    ['number', 'Twelve: The trial had twelve arms.', null],
    [effects, 'No significant difference: mortality was alike.', 'no significant difference'],
    [effects, 'Mortality: significantly decreased, by 3 %.', 'significantly decreased'],
    [effects, 'Mortality was not significantly increased.', null],
    [['no', 'not reported'], 'Not reported: the report is silent.', 'not reported'],
    [['low', 'lower'], 'Lower: it was.', 'lower'],
    [['low', 'high'], 'Lower: it was.', null],
    [['non-significant', 'significant'], 'Non significant: it was.', 'non-significant'],
    [['+', '-'], '-: it fell.', '-'],
    [['<5', '>5'], '>5: it was more.', '>5'],
    [['<5', 'more'], '>5: it was more.', null],
    [['arm 1', 'arm 12'], 'Arm 12: it was.', 'arm 12'],
  ])('in the form %j, of “%s” is %j', (form, sentence, value) => {
    expect(valueIn(form, sentence)).toBe(value)
  })
})

describe('the questions of a file', () => {
  it('are a line each, with their forms, without comments', () => {
    const text =
      '# Trials\r\nHow many took part? [number]\r\n\r\nBlinded? [Yes/No]\nWho? \nEffect? [one of up | down]\n'
    expect(readQuestions(text)).toEqual([
      { question: 'How many took part?', form: 'number' },
      { question: 'Blinded?', form: 'yes/no' },
      { question: 'Who?', form: 'text' },
      { question: 'Effect?', form: ['up', 'down'] },
    ])
  })

  it('are lines whatever ends them, and a bracket before the form is part of the question', () => {
    const columns = ['Who [sic]', '{x} or {y}?'].map((question) => ({ question, form: 'text' }))
    expect(readQuestions('Who [sic] [text]\r{x} or {y}?\r')).toEqual(columns)
  })

  it('may be a list in JSON, and have the form that is given where they state none', () => {
    const list = ['How many?', { id: 'who', question: 'Who?', form: 'text' }]
    expect(readQuestions(JSON.stringify(list), 'number')).toEqual([
      { question: 'How many?', form: 'number' },
      { id: 'who', question: 'Who?', form: 'text' },
    ])
  })

  it.each([
    ['', /There are no questions/],
    ['# only a comment\n', /There are no questions/],
    ['[]', /There are no questions/],
    ['[1] How many?', /no list in JSON, .*In lines of text, a form stands behind its question/],
    ['["How many?"', /no list in JSON/],
    ['[number]', /a form stands behind its question: "How many\? \[number\]"/],
    ['Who?\n[mg]\n', /There is no question before "\[mg\]"/],
    ['{ "question": "Who?" }', /no list in JSON/],
    ['{"question":"Who?"}\n{"question":"Why?"}\n', /no list in JSON/],
    ['[{ "frage": "Wer?" }]', /cannot be used: .*question/],
    ['[{ "question": "Who?", "form": "colour" }]', /cannot be used/],
    ['What is the dose? [mg]', /"\[mg\]" is no form of a column/],
    ['Which? [one of a]', /"\[one of a\]" is no form .* with 2 to 20 different options/],
    ['Which? [one of a | A]', /different options/],
    ['[{ "question": "Which?", "form": ["a", "a"] }]', /2 to 20 different options/],
    ['Who [sic]', /write a form behind it: "Who \[sic\] \[text\]"/],
  ])('are refused where they are none: %j', (text, message) => {
    expect(() => readQuestions(text)).toThrow(UsageError)
    expect(() => readQuestions(text)).toThrow(message)
  })

  it.each<ColumnForm>(['text', 'number', 'yes/no', ['a', 'b c']])(
    'name the form %j in words that are read again',
    (form) => {
      expect(readForm(formInWords(form))).toEqual(form)
    },
  )
})

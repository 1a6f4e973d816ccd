import type { FalseCase } from '../case.ts'

const employed =
  '{{As of December 31, 2022, we employed 14,380 people, of whom 6,120 worked outside the United States}}'
const netSales = '{{Net sales 5,583 5,014 4,662}}'

export const lies: readonly FalseCase[] = [
  {
    class: 'other subject',
    question: 'How many people work for Siemens?',
    draft: `Siemens employed 14,380 people.${employed}`,
  },
  {
    class: 'other subject',
    question: 'How many people did Meridian Water employ?',
    draft: `Meridian Water employed 14,380 people at the end of 2022.${employed}`,
  },
  {
    class: 'other verb',
    question: 'What happened to the staff?',
    draft: `Halvorsen dismissed 14,380 people in 2022.${employed}`,
  },
  {
    class: 'other verb',
    question: 'What happened to Tidewell Controls?',
    draft:
      'Halvorsen sold Tidewell Controls for $412 million in cash.{{we acquired Tidewell Controls for $412 million in cash}}',
  },
  {
    class: 'missing scale',
    question: 'What were net sales in 2022?',
    draft: `Net sales were $5,583 in 2022.${netSales}`,
  },
  {
    class: 'wrong scale',
    question: 'What were net sales in 2022?',
    draft: `Net sales were $5,583 billion in 2022.${netSales}`,
  },
  {
    class: "another year's column",
    question: 'What were net sales in 2022?',
    draft: `Net sales were $5,014 million in 2022.${netSales}`,
  },
  {
    class: "another year's column",
    question: 'What was net income in 2021?',
    draft: 'Net income was $229 million in 2021.{{Net income 441 318 229}}',
  },
  {
    class: 'other row',
    question: 'What was net income in 2022?',
    draft: 'Net income was $622 million in 2022.{{Operating income 622 429 314}}',
  },
  {
    class: 'other row',
    question: 'What did the Pressure segment sell in 2022?',
    draft: 'The Pressure segment sold $1,008 million in 2022.{{Calibration 1,008 863}}',
  },
  {
    class: 'other unit',
    question: 'What was net income in 2022?',
    draft: 'Net income was €441 million in 2022.{{Net income 441 318 229}}',
  },
  {
    class: 'negation',
    question: 'Are employees in the US represented by a union?',
    draft:
      'Employees in the United States are represented by a labor union.{{None of our employees in the United States is represented by a labor union}}',
  },
  {
    class: 'negation',
    question: 'Did Halvorsen repurchase shares?',
    draft: 'Halvorsen repurchased shares in 2022.{{We did not repurchase any shares in 2022}}',
  },
  {
    class: 'invented number',
    question: 'How much of net sales came from Meridian Water?',
    draft:
      'Meridian Water accounted for 17% of net sales in 2022.{{Our largest customer, Meridian Water, accounted for 11% of net sales in 2022}}',
  },
  {
    class: 'swapped names',
    question: 'Who succeeded whom as CFO?',
    draft:
      'Helen Pruitt succeeded Marcus Oyelaran as Chief Financial Officer.{{Marcus Oyelaran was appointed Chief Financial Officer on August 1, 2022, and succeeded Helen Pruitt}}',
  },
  {
    class: 'swapped names',
    question: 'Who is the CEO?',
    draft:
      'Marcus Oyelaran has been Chief Executive Officer since May 2019.{{Ingrid Solberg has served as Chief Executive Officer since May 2019}}',
  },
  {
    class: 'direction',
    question: 'How did sales in Asia develop?',
    draft: 'Net sales in Asia increased 4%.{{Net sales in Asia decreased 4% as plants in Taiwan delayed orders}}',
  },
  {
    class: 'direction',
    question: 'How did long-term debt develop?',
    draft: 'Long-term debt rose to $1,850 million in 2022.{{Long-term debt 1,850 2,100}}',
  },
  {
    class: 'wrong date',
    question: 'When was Tidewell Controls acquired?',
    draft: 'Tidewell Controls was acquired on March 27, 2022.{{On March 17, 2022, we acquired Tidewell Controls}}',
  },
  {
    class: 'wrong month',
    question: 'When were senior notes repaid?',
    draft: 'Senior notes were repaid in July 2022.{{We repaid $250 million of senior notes in June 2022}}',
  },
  {
    class: 'wrong thing counted',
    question: 'What are the 14,380?',
    draft: `Halvorsen had 14,380 customers at the end of 2022.${employed}`,
  },
  {
    class: 'too general',
    question: 'What did the court decide?',
    draft:
      'The court dismissed all claims in February 2022.{{The court dismissed one of the two claims in February 2022}}',
  },
  {
    class: 'too general',
    question: 'Where do the employees work?',
    draft: `All 14,380 people worked outside the United States.${employed}`,
  },
  {
    class: 'wrong comparison',
    question: 'Which year had the higher gross profit?',
    draft: 'Gross profit was higher in 2021 than in 2022.{{Gross profit 2,010 1,755 1,585}}',
  },
  {
    class: 'wrong comparison',
    question: 'Which segment is the largest?',
    draft: 'Pressure was the largest segment in 2022, ahead of Flow.{{Flow 2,846 2,511}}{{Pressure 1,729 1,640}}',
  },
  {
    class: 'wrong result',
    question: 'By how much did net sales grow?',
    draft: `Net sales grew by $669 million in 2022, from $5,014 million to $5,583 million.${netSales}`,
  },
  {
    class: 'wrong result',
    question: 'What was the gross margin?',
    draft:
      'The gross margin was 39.0%, that is 2,010 divided by 5,583.{{Gross profit 2,010 1,755 1,585}}{{Net sales 5,583 5,014 4,662}}',
  },
  {
    class: 'wrong operand',
    question: 'What was the quick ratio in 2022?',
    draft:
      'The quick ratio was 1.42: (1,186 + 1,037) / 1,560.{{Cash and cash equivalents 1,186 934}}{{Inventories 1,037 912}}{{Total current liabilities 1,560 1,480}}',
  },
  {
    class: 'percentage points',
    question: 'How did Flow sales develop?',
    draft:
      'Net sales of the Flow segment rose 13 percentage points.{{Net sales of the Flow segment rose 13% because of higher prices}}',
  },
  {
    class: 'claim from nowhere',
    question: 'What does Halvorsen plan?',
    draft:
      'Halvorsen plans to open a factory in Vietnam.{{We design and produce flow meters, pressure sensors and calibration equipment}}',
  },
  {
    class: 'invented cause',
    question: 'Why was the foundry closed?',
    draft: 'The foundry in Dayton was closed after a fire.{{We closed the foundry in Dayton on September 30, 2022}}',
  },
  {
    class: 'absence though it stands there',
    question: 'What is the quarterly dividend?',
    draft: 'The passages do not say how high the quarterly dividend is.',
  },
  {
    class: 'quote from the question',
    question: 'Is it true that Halvorsen was fined $90 million by the regulator?',
    draft:
      'Halvorsen was fined $90 million by the regulator.<cite id="P1">Halvorsen was fined $90 million by the regulator</cite>',
  },
  {
    class: 'invented quote',
    question: 'Was the CEO replaced?',
    draft:
      'Ingrid Solberg stepped down in 2022.<cite id="{{#Ingrid Solberg has served}}">Ingrid Solberg stepped down as Chief Executive Officer in 2022</cite>',
  },
  {
    class: 'wrong passage',
    question: 'When was the CEO appointed?',
    draft: 'Ingrid Solberg became Chief Executive Officer in June 2021. [{{#Total current assets 3,120 2,688}}]',
  },
  {
    class: 'no such passage',
    question: 'What did the company earn?',
    draft: 'Net income was $512 million in 2022. [P87]',
  },
  {
    class: 'pending as decided',
    question: 'How did the patent suit end?',
    draft:
      'Halvorsen won the patent suit against Corvane Systems.{{In 2020, Corvane Systems sued Halvorsen in the District of Delaware over two patents}}',
  },
  {
    class: 'swapped roles',
    question: 'Who sued whom?',
    draft:
      'Halvorsen sued Corvane Systems over two patents.{{In 2020, Corvane Systems sued Halvorsen in the District of Delaware over two patents}}',
  },
  {
    class: 'estimate invented',
    question: 'How large may the loss be?',
    draft: 'The possible loss is small.{{We cannot estimate the range of a possible loss}}',
  },
  {
    class: 'rounded wrongly',
    question: 'What were net sales?',
    draft: `Net sales were about $5.2 billion in 2022.${netSales}`,
  },
]

import { type DocumentCases, fact } from '../case.ts'
import { lies } from './statement-lies.ts'

export const statement: DocumentCases = {
  file: 'statement.html',
  kind: 'company statement',
  language: 'en',
  isAside: false,
  about: 'What does Halvorsen report about its business in 2022?',
  facts: [
    fact(
      'How many people did Halvorsen employ at the end of 2022?',
      'Halvorsen had 14,380 employees at the end of 2022.',
      'As of December 31, 2022, we employed 14,380 people, of whom 6,120 worked outside the United States.',
      'As of December 31, 2022, we employed 14,380 people, of which 6,120 work outside the United States.',
      ['As of December 31, 2022', 'we employed 14,380 people'],
    ),
    fact(
      'What did Halvorsen pay for Tidewell Controls?',
      'It bought Tidewell Controls for $412 million in cash in March 2022.',
      'On March 17, 2022, we acquired Tidewell Controls for $412 million in cash.',
      'On March 17, 2022, we acquired Tidewell Controls for $412 million cash.',
      ['we acquired Tidewell Controls', '$412 million in cash'],
    ),
    fact(
      'How large is the revolving credit facility?',
      'The revolving credit facility of $750 million matures on April 15, 2026.',
      'Our revolving credit facility of $750 million matures on April 15, 2026, and nothing was drawn under it at year end.',
      'The revolving credit facility of $750 million matures on April 15, 2026, and nothing was drawn at year end.',
      ['Our revolving credit facility of $750 million', 'on April 15, 2026'],
    ),
    fact(
      'Why did net sales of the Flow segment rise?',
      'Flow sales grew 13% on higher prices and the acquisition of Tidewell Controls.',
      'Net sales of the Flow segment rose 13% because of higher prices and the acquisition of Tidewell Controls.',
      'Net sales of the Flow segment rose 13% due to higher prices and the acquisition of Tidewell Controls.',
      ['Net sales of the Flow segment rose 13%', 'the acquisition of Tidewell Controls'],
    ),
  ],
  table: {
    question: 'What were net sales and net income in 2022 and 2021?',
    header: '| In millions | 2022 | 2021 |\n|---|---|---|',
    rows: [
      ['Net sales | $5,583 | $5,014', 'Net sales 5,583 5,014 4,662'],
      ['Net income | $441 | $318', 'Net income 441 318 229'],
    ],
  },
  truths: [
    {
      style: 'unit from the header',
      question: 'What were net sales in 2022?',
      draft: 'Net sales were $5,583 million in 2022.{{Net sales 5,583 5,014 4,662}}',
    },
    {
      style: 'rounded number',
      question: 'What were net sales in 2022?',
      draft: 'Net sales came to about $5.6 billion in fiscal 2022.{{Net sales 5,583 5,014 4,662}}',
    },
    {
      style: 'rounded number',
      question: 'What were net sales in 2022?',
      draft: 'Halvorsen sold goods for $5.6 billion in 2022 [{{#Net sales 5,583 5,014 4,662}}].',
    },
    {
      style: 'name with a digit',
      question: 'What does the FY2022 10-K say about earnings per share?',
      draft:
        'For FY2022 the 10-K shows diluted earnings per share of $3.17.{{Diluted earnings per share 3.17 2.26 1.61}}',
    },
    {
      style: 'yes first',
      question: 'Is a patent case against Halvorsen still pending?',
      draft:
        'Yes. One of the two claims by Corvane Systems remains pending.{{The court dismissed one of the two claims in February 2022; the other claim remains pending}}',
      free: ['Yes.'],
    },
    {
      style: 'no first',
      question: 'Did Halvorsen repurchase shares in 2022?',
      draft: 'No. Halvorsen did not buy back any shares in 2022.{{We did not repurchase any shares in 2022}}',
      free: ['No.'],
    },
    {
      style: 'what the passages do not say',
      question: 'Who is the CEO, and what is she paid?',
      draft:
        'Ingrid Solberg has been Chief Executive Officer since May 2019.{{Ingrid Solberg has served as Chief Executive Officer since May 2019}} The passages do not say what she is paid.',
      free: ['The passages do not say what she is paid.'],
    },
    {
      style: 'organisation for "we"',
      question: 'What happened to the foundry in Dayton?',
      draft:
        'Halvorsen Instruments closed its foundry in Dayton on September 30, 2022.{{We closed the foundry in Dayton on September 30, 2022}}',
    },
    {
      style: 'according to the report',
      question: 'Who is the largest customer?',
      draft:
        'According to the 2022 annual statement, the largest customer was Meridian Water, with 11% of net sales.{{Our largest customer, Meridian Water, accounted for 11% of net sales in 2022}}',
    },
    {
      style: 'question restated',
      question: 'When did Marcus Oyelaran become Chief Financial Officer?',
      draft:
        'Marcus Oyelaran became Chief Financial Officer on August 1, 2022.{{Marcus Oyelaran was appointed Chief Financial Officer on August 1, 2022}}',
    },
    {
      style: 'date reformatted',
      question: 'When did the CFO take office?',
      draft:
        'The new CFO took office on 1 August 2022.{{Marcus Oyelaran was appointed Chief Financial Officer on August 1, 2022}}',
    },
    {
      style: 'date reformatted',
      question: 'When was Tidewell bought?',
      draft: 'Tidewell was acquired on 2022-03-17.{{On March 17, 2022, we acquired Tidewell Controls}}',
    },
    {
      style: 'derived comparison',
      question: 'Did long-term debt fall?',
      draft: 'Long-term debt was lower at the end of 2022 than a year before.{{Long-term debt 1,850 2,100}}',
    },
    {
      style: 'derived comparison',
      question: 'Which segment sold most in 2022?',
      draft:
        'Flow was the largest segment, ahead of Pressure and Calibration.{{Flow 2,846 2,511}}{{Pressure 1,729 1,640}}{{Calibration 1,008 863}}',
    },
    {
      style: 'difference',
      question: 'By how much did net sales grow in 2022?',
      draft: 'Net sales grew by $569 million, from $5,014 million to $5,583 million.{{Net sales 5,583 5,014 4,662}}',
    },
    {
      style: 'growth in percent',
      question: 'By how many percent did net sales grow in 2022?',
      draft: 'Net sales grew by 11.3% (5,583 against 5,014).{{Net sales 5,583 5,014 4,662}}',
    },
    {
      style: 'ratio with its formula',
      question: 'What was the gross margin in 2022?',
      draft:
        'The gross margin was 36.0%, that is gross profit of 2,010 divided by net sales of 5,583.{{Gross profit 2,010 1,755 1,585}}{{Net sales 5,583 5,014 4,662}}',
    },
    {
      style: 'ratio with its formula',
      question: 'What was the quick ratio at the end of 2022?',
      draft:
        'The quick ratio was 1.20: (1,186 + 689) / 1,560.{{Cash and cash equivalents 1,186 934}}{{Accounts receivable, net 689 640}}{{Total current liabilities 1,560 1,480}}',
    },
    {
      style: 'two sources in one sentence',
      question: 'How did net income and debt develop in 2022?',
      draft:
        'Net income rose to $441 million{{Net income 441 318 229}} while long-term debt fell to $1,850 million{{Long-term debt 1,850 2,100}}.',
    },
    {
      style: 'one word',
      question: 'In which state is Halvorsen incorporated?',
      draft: 'Oregon.{{is incorporated in Oregon and has its principal offices in Corvallis}}',
    },
    {
      style: 'hedge',
      question: 'Why did sales in Asia fall?',
      draft:
        'It appears that sales in Asia fell 4% because plants in Taiwan delayed orders.{{Net sales in Asia decreased 4% as plants in Taiwan delayed orders}}',
    },
    {
      style: 'abbreviations',
      question: 'What is the quarterly dividend?',
      draft:
        'The Board (i.e. the directors) declared a dividend of approx. $0.22 per share on Nov. 3, 2022.{{The Board declared a quarterly dividend of $0.22 per share on November 3, 2022}}',
    },
    {
      style: 'answer in another language',
      question: 'Wie viele Menschen beschäftigte Halvorsen Ende 2022?',
      draft:
        'Halvorsen beschäftigte am 31. Dezember 2022 14.380 Menschen.{{As of December 31, 2022, we employed 14,380 people}}',
    },
    {
      style: 'answer in another language',
      question: 'À combien se sont élevées les ventes nettes en 2022 ?',
      draft: 'Les ventes nettes se sont élevées à 5 583 millions de dollars en 2022.{{Net sales 5,583 5,014 4,662}}',
    },
    {
      style: 'long answer',
      question: 'Summarise the year 2022 of Halvorsen.',
      draft: [
        'Net sales were $5,583 million.{{Net sales 5,583 5,014 4,662}}',
        'Gross profit was $2,010 million.{{Gross profit 2,010 1,755 1,585}}',
        'Net income was $441 million.{{Net income 441 318 229}}',
        'Diluted earnings per share were $3.17.{{Diluted earnings per share 3.17 2.26 1.61}}',
        'The company employed 14,380 people at year end.{{As of December 31, 2022, we employed 14,380 people}}',
        'It acquired Tidewell Controls for $412 million.{{we acquired Tidewell Controls for $412 million in cash}}',
        'The foundry in Dayton was closed in September.{{We closed the foundry in Dayton on September 30, 2022}}',
        'Meridian Water was the largest customer.{{Our largest customer, Meridian Water, accounted for 11% of net sales}}',
        'Helen Pruitt retired as Chief Financial Officer.{{Marcus Oyelaran was appointed Chief Financial Officer on August 1, 2022, and succeeded Helen Pruitt, who retired}}',
        'Senior notes of $250 million were repaid in June.{{We repaid $250 million of senior notes in June 2022}}',
        'Cash stood at $1,186 million.{{Cash and cash equivalents 1,186 934}}',
        'One patent claim was dismissed.{{The court dismissed one of the two claims in February 2022}}',
      ].join(' '),
    },
  ],
  lies,
}

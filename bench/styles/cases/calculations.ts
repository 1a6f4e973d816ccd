import type { DocumentCases, FalseCase, TrueCase } from '../case.ts'
import { geschaeftsbericht } from './geschaeftsbericht.ts'
import { statement } from './statement.ts'

const sales = '{{Net sales 5,583 5,014 4,662}}'
const gross = '{{Gross profit 2,010 1,755 1,585}}'
const income = '{{Net income 441 318 229}}'
const cash = '{{Cash and cash equivalents 1,186 934}}'
const receivable = '{{Accounts receivable, net 689 640}}'
const liabilities = '{{Total current liabilities 1,560 1,480}}'
const people = '{{As of December 31, 2022, we employed 14,380 people, of whom 6,120 worked outside the United States}}'
const umsatz = '{{Umsatzerlöse 8.417 7.362}}'
const anteil = '{{Der Anteil erneuerbarer Energien an der Stromerzeugung stieg auf 51 %, nach 46 % im Vorjahr}}'

/** Computed numbers, as models note them: right ones must be shown as verified, wrong ones must not. */
export const calculations: readonly {
  readonly document: DocumentCases
  readonly truths: readonly TrueCase[]
  readonly lies: readonly FalseCase[]
}[] = [
  {
    document: statement,
    truths: [
      {
        style: '<calc>: difference',
        question: 'By how much did net sales rise in 2022?',
        draft: `Net sales rose by <calc expr="5,583 - 5,014">$569 million</calc> in 2022.${sales}`,
      },
      {
        style: '<calc> behind the full stop',
        question: 'How large was the quick ratio at the end of 2022?',
        draft: `The quick ratio was 1.2 at the end of 2022.<calc expr="(1,186 + 689) / 1,560">1.20</calc>${cash}${receivable}${liabilities}`,
      },
      {
        style: '<calc>: growth',
        question: 'By how much did net sales grow in 2022?',
        draft: `Net sales grew by <calc expr="(5,583 - 5,014) / 5,014">11.3%</calc> in 2022.${sales}`,
      },
      {
        style: '<calc>: share times 100',
        question: 'How large was the gross margin in 2022?',
        draft: `The gross margin was <calc expr="2,010 / 5,583 * 100">36 %</calc>.${gross}${sales}`,
      },
      {
        style: '<calc>: margins in percentage points',
        question: 'How did the net margin change in 2022?',
        draft: `The net margin rose by <calc expr="441 / 5,583 - 318 / 5,014">1.6 percentage points</calc> in 2022.${income}${sales}`,
      },
      {
        style: 'calculation spelled out (<calc> left out)',
        question: 'What was the average of net sales in 2021 and 2022?',
        draft: `On average, net sales were $5,298.5 million, as (5,583 + 5,014) / 2 = 5,298.5.${sales}`,
      },
      {
        style: '<calc> with figures of other sentences',
        question: 'How large was the gross margin in 2022?',
        draft: `The gross margin was 36.0%.<calc expr="2,010 / 5,583"/> Gross profit was $2,010 million.${gross} Net sales were $5,583 million.${sales}`,
      },
      {
        style: '<calc>: about, in another scale',
        question: 'What did cash and receivables come to?',
        draft: `Cash and receivables came to about $1.9 billion.<calc expr="1,186 + 689">1,875</calc>${cash}${receivable}`,
      },
      {
        style: '<calc> for each employee',
        question: 'How much did Halvorsen sell for each employee?',
        draft: `Net sales were about $388,000 for each employee.<calc expr="5,583 million / 14,380"/>${sales}${people}`,
      },
      {
        style: '<calc>: share of people',
        question: 'What share of the employees worked outside the United States?',
        draft: `About <calc expr="6,120 / 14,380">43%</calc> of the employees worked outside the United States.${people}`,
      },
    ],
    lies: [
      {
        class: '<calc>: wrong result',
        question: 'By how much did net sales grow in 2022?',
        draft: `Net sales grew by <calc expr="(5,583 - 5,014) / 5,014">12.3%</calc> in 2022.${sales}`,
      },
      {
        class: '<calc>: wrong operand',
        question: 'How large was the quick ratio at the end of 2022?',
        draft: `The quick ratio was 1.15.<calc expr="(1,186 + 640) / 1,590">1.15</calc>${cash}${receivable}${liabilities}`,
      },
      {
        class: '<calc>: percent for percentage points',
        question: 'How did the net margin change in 2022?',
        draft: `The net margin rose by <calc expr="441 / 5,583 - 318 / 5,014">1.6 percent</calc>.${income}${sales}`,
      },
      {
        class: '<calc>: wrong scale',
        question: 'By how much did net sales rise in 2022?',
        draft: `Net sales rose by <calc expr="5,583 - 5,014">$569 thousand</calc> in 2022.${sales}`,
      },
      {
        class: '<calc>: other direction',
        question: 'How did net sales change in 2022?',
        draft: `Net sales fell by <calc expr="5,583 - 5,014">$569 million</calc> in 2022.${sales}`,
      },
      {
        class: '<calc>: other years',
        question: 'By how much did net sales grow from 2020 to 2022?',
        draft: `Net sales grew by <calc expr="(5,583 - 5,014) / 5,014">11.3%</calc> from 2020 to 2022.${sales}`,
      },
      {
        class: 'calculation with a wrong sum (<calc> left out)',
        question: 'What did cash and receivables come to?',
        draft: `Cash and receivables came to 1,186 + 689 = 1,975 million dollars.${cash}${receivable}`,
      },
      {
        class: '<calc>: other currency',
        question: 'By how much did net sales rise in 2022?',
        draft: `Net sales rose by <calc expr="$5,583 million - €5,014 million">$569 million</calc>.${sales}`,
      },
    ],
  },
  {
    document: geschaeftsbericht,
    truths: [
      {
        style: '<calc>: difference, German',
        question: 'Um wie viel nahmen die Umsatzerlöse 2022 zu?',
        draft: `Die Umsatzerlöse nahmen 2022 um <calc expr="8.417 − 7.362">1.055 Mio. Euro</calc> zu.${umsatz}`,
      },
      {
        style: '<calc>: growth, German',
        question: 'Um wie viel Prozent stiegen die Umsatzerlöse 2022?',
        draft: `Die Umsatzerlöse stiegen 2022 um 14,3 %.<calc expr="(8.417 − 7.362) / 7.362">14,3 %</calc>${umsatz}`,
      },
      {
        style: '<calc>: percentage points, German',
        question: 'Um wie viel stieg der Anteil erneuerbarer Energien?',
        draft: `Der Anteil erneuerbarer Energien stieg um <calc expr="51 % − 46 %">5 Prozentpunkte</calc>.${anteil}`,
      },
    ],
    lies: [
      {
        class: '<calc>: wrong result, German',
        question: 'Um wie viel Prozent stiegen die Umsatzerlöse 2022?',
        draft: `Die Umsatzerlöse stiegen 2022 um 15,3 %.<calc expr="(8.417 − 7.362) / 7.362">15,3 %</calc>${umsatz}`,
      },
      {
        class: '<calc>: percent for points, German',
        question: 'Um wie viel stieg der Anteil erneuerbarer Energien?',
        draft: `Der Anteil erneuerbarer Energien stieg um <calc expr="51 % − 46 %">5 %</calc>.${anteil}`,
      },
    ],
  },
]

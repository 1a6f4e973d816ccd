import { type DocumentCases, fact } from '../case.ts'

export const leavePolicy: DocumentCases = {
  file: 'leave-policy.txt',
  kind: 'policy and FAQ',
  language: 'en',
  isAside: false,
  about: 'What does the leave policy grant to staff?',
  facts: [
    fact(
      'How many days of annual leave do full-time staff get?',
      'Full-time staff get 25 days of annual leave plus public holidays.',
      'Full-time staff receive 25 days of annual leave a year in addition to public holidays.',
      'Full-time staff receive 25 days of annual leave per year in addition to public holidays.',
      ['Full-time staff receive 25 days of annual leave', 'in addition to public holidays'],
    ),
    fact(
      'How many days may be carried over?',
      'Up to five unused days can be carried over until 31 March.',
      'Up to five unused days may be carried over and must be taken by 31 March of the following year.',
      'Up to five unused days may be carried over but must be taken by 31 March of the following year.',
      ['Up to five unused days may be carried over', 'by 31 March of the following year'],
    ),
    fact(
      'When is a doctor’s certificate needed?',
      'A medical certificate is needed from the fourth day of absence.',
      "A doctor's certificate is required from the fourth day of absence.",
      "A doctor's certificate is required after the fourth day of absence.",
      ["A doctor's certificate is required", 'the fourth day of absence'],
    ),
    fact(
      'How long is parental leave?',
      'Parents can take up to 26 weeks of paid leave.',
      'Parents may take up to 26 weeks of paid parental leave.',
      'Parents may take up to 26 weeks paid parental leave.',
      ['Parents may take up to 26 weeks', 'paid parental leave'],
    ),
  ],
  table: {
    question: 'How much leave is there of each kind?',
    header: '| Kind | Length |\n|---|---|',
    rows: [
      ['Annual leave | 25 days', 'Full-time staff receive 25 days of annual leave a year'],
      ['Parental leave | up to 26 weeks', 'Parents may take up to 26 weeks of paid parental leave'],
    ],
  },
  truths: [
    {
      style: 'no first',
      question: 'Can I sell unused leave?',
      draft:
        'No. Unused leave cannot be exchanged for money, except when employment ends.{{Unused leave cannot be exchanged for money, except when employment ends}}',
      free: ['No.'],
    },
    {
      style: 'yes first',
      question: 'Do adoptive parents have the same rights?',
      draft:
        'Yes. Adoptive parents have the same rights as birth parents.{{Adoptive parents have the same rights as birth parents}}',
      free: ['Yes.'],
    },
    {
      style: 'yes first',
      question: 'May I work from abroad?',
      draft:
        'Yes, for up to 20 working days a year, with written consent.{{Work from abroad is allowed for up to 20 working days a year with the written consent of the Director of People}}',
    },
    {
      style: 'number spelt out',
      question: 'How much leave is there after five years?',
      draft:
        'After five years the entitlement is twenty-eight days.{{After five years of service the entitlement rises to 28 days}}',
    },
    {
      style: 'number from words',
      question: 'Into how many parts may parental leave be split?',
      draft: 'It may be split into 3 blocks at most.{{Parental leave may be split into at most three blocks}}',
    },
    {
      style: 'percentage from words',
      question: 'How many staff used unpaid leave?',
      draft:
        'About 33% of the staff have used unpaid leave since 2015.{{About a third of the staff have used it since 2015}}',
    },
    {
      style: 'percentage from words',
      question: 'How is sick pay paid?',
      draft:
        'After the first 12 weeks, sick pay falls to 50% for the next 12 weeks.{{Sick pay is paid in full for the first 12 weeks of absence and at half pay for the next 12 weeks}}',
    },
    {
      style: 'date reformatted',
      question: 'Since when is the policy in force?',
      draft: 'The policy has been in force since July 1, 2023.{{Effective 1 July 2023}}',
    },
    {
      style: 'date reformatted',
      question: 'By when must I call?',
      draft:
        'Tell the line manager before 9.30 am on day one.{{The line manager must be informed before 9:30 a.m. on the first day}}',
    },
    {
      style: 'what the passages do not say',
      question: 'Is there leave for moving house?',
      draft: 'The policy does not mention leave for moving house.',
      free: ['The policy does not mention leave for moving house.'],
    },
    {
      style: 'according to the report',
      question: 'Do volunteers get paid leave?',
      draft:
        'According to the leave policy, volunteers are not employees and get no paid leave.{{Volunteers are not employees and receive no paid leave}}',
    },
    {
      style: 'hedge',
      question: 'Can I get unpaid leave?',
      draft:
        'It seems that you may get up to six months of unpaid leave, provided you have served two years.{{Unpaid leave of up to six months may be granted after two years of service}}',
    },
    {
      style: 'question restated',
      question: 'Who decides if two people ask for the same dates?',
      draft: 'If two people ask for the same dates, the branch manager decides.{{The branch manager decides}}',
    },
    {
      style: 'one word',
      question: 'Who is the Director of People?',
      draft: 'Amara Whitfield.{{the written consent of the Director of People, Amara Whitfield}}',
    },
    {
      style: 'two sources in one sentence',
      question: 'What is the longest paid and unpaid leave?',
      draft:
        'Paid parental leave lasts up to 26 weeks{{Parents may take up to 26 weeks of paid parental leave}} and unpaid leave up to six months{{Unpaid leave of up to six months may be granted}}.',
    },
    {
      style: 'sum',
      question: 'For how many weeks is there any sick pay?',
      draft:
        'There is sick pay for 24 weeks in all, 12 at full and 12 at half pay.{{Sick pay is paid in full for the first 12 weeks of absence and at half pay for the next 12 weeks}}',
    },
    {
      style: 'answer in another language',
      question: 'Wie viele Urlaubstage gibt es?',
      draft:
        'Vollzeitkräfte erhalten 25 Urlaubstage im Jahr.{{Full-time staff receive 25 days of annual leave a year}}',
    },
    {
      style: 'answer in another language',
      question: 'Combien de jours peut-on reporter ?',
      draft:
        'On peut reporter jusqu’à cinq jours, à prendre avant le 31 mars.{{Up to five unused days may be carried over and must be taken by 31 March of the following year}}',
    },
  ],
  lies: [
    {
      class: 'negation',
      question: 'Can unused leave be sold?',
      draft:
        'Unused leave can be exchanged for money at any time.{{Unused leave cannot be exchanged for money, except when employment ends}}',
    },
    {
      class: 'other subject',
      question: 'What are volunteers entitled to?',
      draft:
        'Volunteers receive 25 days of annual leave a year.{{Full-time staff receive 25 days of annual leave a year}}',
    },
    {
      class: 'other unit',
      question: 'How long is parental leave?',
      draft:
        'Parents may take up to 26 months of paid parental leave.{{Parents may take up to 26 weeks of paid parental leave}}',
    },
    {
      class: 'wrong month',
      question: 'By when must days be taken?',
      draft: 'Days carried over must be taken by 31 May.{{must be taken by 31 March of the following year}}',
    },
    {
      class: 'wrong date',
      question: 'When was the policy approved?',
      draft:
        'The Board approved the policy on 1 July 2023.{{Effective 1 July 2023. Approved by the Board of Trustees on 14 June 2023}}',
    },
    {
      class: 'too general',
      question: 'Who may take unpaid leave?',
      draft:
        'All staff may take six months of unpaid leave from their first day.{{Unpaid leave of up to six months may be granted after two years of service}}',
    },
    {
      class: 'order in time',
      question: 'Which request has priority?',
      draft: 'Later requests have priority over earlier ones.{{Requests made earlier have priority over later ones}}',
    },
    {
      class: 'may as must',
      question: 'How is parental leave taken?',
      draft: 'Parental leave must be split into three blocks.{{Parental leave may be split into at most three blocks}}',
    },
    {
      class: 'bound turned',
      question: 'How many days may be carried over?',
      draft: 'At least five unused days are carried over.{{Up to five unused days may be carried over}}',
    },
    {
      class: 'other verb',
      question: 'What about travel of volunteers?',
      draft:
        'Volunteers are charged for travel up to £18 per day.{{They may be reimbursed for travel up to £18 per day}}',
    },
    {
      class: 'other currency',
      question: 'How much travel is reimbursed?',
      draft: 'Volunteers may be reimbursed up to $18 per day.{{They may be reimbursed for travel up to £18 per day}}',
    },
    {
      class: 'wrong name',
      question: 'Who approves work from abroad?',
      draft:
        'The branch manager Amara Whitfield decides about work from abroad.{{with the written consent of the Director of People, Amara Whitfield}}',
    },
    {
      class: 'wrong fraction',
      question: 'How many used unpaid leave?',
      draft:
        'About half of the staff have used unpaid leave since 2015.{{About a third of the staff have used it since 2015}}',
    },
    {
      class: 'invented number',
      question: 'When must long leave be requested?',
      draft:
        'Long leave must be requested at least ten weeks in advance.{{Requests for leave of more than two weeks must be made at least eight weeks in advance}}',
    },
    {
      class: 'absence though it stands there',
      question: 'How long is parental leave?',
      draft: 'The policy does not say how long parental leave may last.',
    },
    {
      class: 'yes for no',
      question: 'Do volunteers receive paid leave?',
      draft: 'Yes. Volunteers receive paid leave.{{Volunteers are not employees and receive no paid leave}}',
    },
    {
      class: 'claim from nowhere',
      question: 'Is there a pension?',
      draft:
        'The Trust pays a pension to every employee.{{Full-time staff receive 25 days of annual leave a year in addition to public holidays}}',
    },
  ],
}

import { type DocumentCases, fact } from '../case.ts'
import { lies } from './geschaeftsbericht-lies.ts'

const staff = '{{Zum 31. Dezember 2022 beschäftigte der Konzern 29.239 Mitarbeiterinnen und Mitarbeiter}}'
const shareRenewable = '{{Der Anteil erneuerbarer Energien an der Stromerzeugung stieg auf 51 %, nach 46 % im Vorjahr}}'
const sales = '{{Umsatzerlöse 8.417 7.362}}'

export const geschaeftsbericht: DocumentCases = {
  file: 'geschaeftsbericht.md',
  kind: 'company statement',
  language: 'de',
  isAside: false,
  about: 'Was berichtet die Lindgraf Energie AG über das Jahr 2022?',
  facts: [
    fact(
      'Wie viele Menschen beschäftigte der Konzern Ende 2022?',
      'Ende 2022 hatte der Konzern 29.239 Beschäftigte.',
      'Zum 31. Dezember 2022 beschäftigte der Konzern 29.239 Mitarbeiterinnen und Mitarbeiter.',
      'Zum 31. Dezember 2022 beschäftigte der Konzern 29.239 Mitarbeiter und Mitarbeiterinnen.',
      ['Zum 31. Dezember 2022', 'beschäftigte der Konzern 29.239'],
    ),
    fact(
      'Wann ging der Windpark Hohenfels in Betrieb?',
      'Der Windpark Hohenfels ging am 2. Dezember 2022 mit 24 Anlagen in Betrieb.',
      'Am 2. Dezember 2022 nahm der Windpark Hohenfels mit 24 Anlagen den Betrieb auf.',
      'Am 2. Dezember 2022 nahm der Windpark Hohenfels mit 24 Anlagen seinen Betrieb auf.',
      ['Am 2. Dezember 2022 nahm der Windpark Hohenfels', 'den Betrieb auf'],
    ),
    fact(
      'Warum ging das Ergebnis der Fernwärme zurück?',
      'Wegen des milden Winters sank das Ergebnis der Fernwärme um 7,5 %.',
      'Das Ergebnis im Geschäftsfeld Fernwärme ging um 7,5 % zurück, weil der Winter mild war.',
      'Das Ergebnis im Geschäftsfeld Fernwärme ging um 7,5 % zurück, da der Winter mild war.',
      ['Das Ergebnis im Geschäftsfeld Fernwärme ging um 7,5 % zurück', 'der Winter mild war'],
    ),
    fact(
      'Wo findet die Hauptversammlung statt?',
      'Die Hauptversammlung ist am 11. Mai 2023 in Kassel.',
      'Die Hauptversammlung findet am 11. Mai 2023 in Kassel statt.',
      'Die Hauptversammlung findet am 11. Mai 2023 in der Stadt Kassel statt.',
      ['Die Hauptversammlung findet', 'am 11. Mai 2023 in Kassel'],
    ),
  ],
  table: {
    question: 'Wie hoch waren Umsatz und Jahresüberschuss 2022 und 2021?',
    header: '| Mio. Euro | 2022 | 2021 |\n|---|---|---|',
    rows: [
      ['Umsatzerlöse | 8.417 | 7.362', 'Umsatzerlöse 8.417 7.362'],
      ['Jahresüberschuss | 603,5 | 571,2', 'Jahresüberschuss 603,5 571,2'],
    ],
  },
  truths: [
    {
      style: 'unit from the header',
      question: 'Wie hoch waren die Umsatzerlöse 2022?',
      draft: `Die Umsatzerlöse betrugen 2022 8.417 Millionen Euro.${sales}`,
    },
    {
      style: 'rounded number',
      question: 'Wie hoch waren die Umsatzerlöse 2022?',
      draft: `Der Umsatz lag 2022 bei rund 8,4 Milliarden Euro.${sales}`,
    },
    {
      style: 'percent sign as a word',
      question: 'Wie hoch ist der Anteil erneuerbarer Energien?',
      draft: `Der Anteil erneuerbarer Energien beträgt 51 Prozent.${shareRenewable}`,
    },
    {
      style: 'no first',
      question: 'Gab es betriebsbedingte Kündigungen?',
      draft: 'Nein. Betriebsbedingte Kündigungen gab es nicht.{{Betriebsbedingte Kündigungen gab es nicht}}',
      free: ['Nein.'],
    },
    {
      style: 'yes first',
      question: 'Ist gegen Altmoor eine Klage anhängig?',
      draft:
        'Ja, gegen den Genehmigungsbescheid für Altmoor ist eine Klage anhängig.{{Gegen den Genehmigungsbescheid für den Windpark Altmoor ist eine Klage anhängig}}',
    },
    {
      style: 'what the passages do not say',
      question: 'Wer leitet den Vorstand, und was verdient sie?',
      draft:
        'Vorsitzende des Vorstands ist Dr. Katrin Wessling.{{Dr. Katrin Wessling ist seit dem 1. April 2021 Vorsitzende des Vorstands}} Zu ihrer Vergütung machen die Textstellen keine Angaben.',
      free: ['Zu ihrer Vergütung machen die Textstellen keine Angaben.'],
    },
    {
      style: 'date reformatted',
      question: 'Wann wurde Nordhafen stillgelegt?',
      draft:
        'Das Kraftwerk Nordhafen wurde am 30.06.2022 stillgelegt.{{Das Kohlekraftwerk Nordhafen wurde am 30. Juni 2022 stillgelegt}}',
    },
    {
      style: 'according to the report',
      question: 'Wie viel will Lindgraf 2023 investieren?',
      draft:
        'Laut Geschäftsbericht sind für 2023 Investitionen von 1,4 Milliarden Euro geplant.{{Für 2023 sind Investitionen von 1,4 Milliarden Euro geplant}}',
    },
    {
      style: 'organisation for "we"',
      question: 'Hat Lindgraf Kredite in Fremdwährung?',
      draft:
        'Die Lindgraf Energie AG hat keine Fremdwährungskredite aufgenommen.{{Die Gesellschaft hat keine Kredite in Fremdwährung aufgenommen}}',
    },
    {
      style: 'hedge',
      question: 'Was würde ein Anstieg der Gaspreise bewirken?',
      draft:
        'Vermutlich würde ein Anstieg der Gaspreise um 10 % das Betriebsergebnis um etwa 38 Mio. Euro senken.{{Ein Anstieg der Gaspreise um 10 % würde das Betriebsergebnis um etwa 38 Millionen Euro verringern}}',
    },
    {
      style: 'difference',
      question: 'Um wie viel stiegen die Umsatzerlöse?',
      draft: `Die Umsatzerlöse stiegen um 1.055 Millionen Euro, von 7.362 auf 8.417 Millionen Euro.${sales}`,
    },
    {
      style: 'growth in percent',
      question: 'Um wie viel Prozent stiegen die Umsatzerlöse?',
      draft: `Die Umsatzerlöse stiegen um 14,3 % (8.417 gegenüber 7.362).${sales}`,
    },
    {
      style: 'percentage points',
      question: 'Um wie viel stieg der Anteil erneuerbarer Energien?',
      draft: `Der Anteil stieg um 5 Prozentpunkte auf 51 %.${shareRenewable}`,
    },
    {
      style: 'derived comparison',
      question: 'War das Betriebsergebnis höher als 2021?',
      draft: 'Das Betriebsergebnis war 2022 höher als 2021.{{Betriebsergebnis 912 845}}',
    },
    {
      style: 'percentage from words',
      question: 'Welcher Anteil entfällt auf Windparks?',
      draft: 'Rund 67 % der Investitionen entfallen auf Windparks.{{davon entfallen zwei Drittel auf Windparks}}',
    },
    {
      style: 'one word',
      question: 'Wo hat Lindgraf den Sitz?',
      draft: 'Kassel.{{Die Lindgraf Energie AG mit Sitz in Kassel}}',
    },
    {
      style: 'abbreviations',
      question: 'Wie viel Strom erzeugt Hohenfels?',
      draft:
        'Der Windpark erzeugt ca. 186 GWh Strom pro Jahr, d. h. mit 24 Anlagen.{{Am 2. Dezember 2022 nahm der Windpark Hohenfels mit 24 Anlagen den Betrieb auf. Er erzeugt jährlich 186 Gigawattstunden Strom}}',
    },
    {
      style: 'two sources in one sentence',
      question: 'Wer leitet Vorstand und Finanzen?',
      draft:
        'Katrin Wessling führt den Vorstand{{Dr. Katrin Wessling ist seit dem 1. April 2021 Vorsitzende des Vorstands}}, Jonas Reuter die Finanzen{{Jonas Reuter leitet das Ressort Finanzen}}.',
    },
    {
      style: 'answer in another language',
      question: 'How many people did the group employ?',
      draft: `The group employed 29,239 people at the end of 2022.${staff}`,
    },
    {
      style: 'answer in another language',
      question: 'What dividend is proposed?',
      draft:
        'The Executive Board proposes a dividend of €1.15 per share.{{Der Vorstand schlägt eine Dividende von 1,15 Euro je Aktie vor}}',
    },
    {
      style: 'long answer',
      question: 'Fasse das Jahr 2022 zusammen.',
      draft: [
        `Die Umsatzerlöse betrugen 8.417 Millionen Euro.${sales}`,
        'Das Betriebsergebnis betrug 912 Millionen Euro.{{Betriebsergebnis 912 845}}',
        'Der Jahresüberschuss betrug 603,5 Millionen Euro.{{Jahresüberschuss 603,5 571,2}}',
        `Der Konzern beschäftigte 29.239 Menschen.${staff}`,
        `Der Anteil erneuerbarer Energien stieg auf 51 %.${shareRenewable}`,
        'Der Windpark Hohenfels ging in Betrieb.{{nahm der Windpark Hohenfels mit 24 Anlagen den Betrieb auf}}',
        'Das Kohlekraftwerk Nordhafen wurde stillgelegt.{{Das Kohlekraftwerk Nordhafen wurde am 30. Juni 2022 stillgelegt}}',
        'Die Dividende soll 1,15 Euro je Aktie betragen.{{Der Vorstand schlägt eine Dividende von 1,15 Euro je Aktie vor}}',
      ].join(' '),
    },
  ],
  lies,
}

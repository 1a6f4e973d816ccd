import type { FalseCase } from '../case.ts'

const staff = '{{Zum 31. Dezember 2022 beschäftigte der Konzern 29.239 Mitarbeiterinnen und Mitarbeiter}}'
const shareRenewable = '{{Der Anteil erneuerbarer Energien an der Stromerzeugung stieg auf 51 %, nach 46 % im Vorjahr}}'
const sales = '{{Umsatzerlöse 8.417 7.362}}'

export const lies: readonly FalseCase[] = [
  {
    class: 'other subject',
    question: 'Wie viele Menschen beschäftigt Nordstrom Energie?',
    draft: `Die Nordstrom Energie SE beschäftigte 29.239 Menschen.${staff}`,
  },
  {
    class: 'other verb',
    question: 'Was geschah mit der Belegschaft?',
    draft: `Der Konzern entließ 29.239 Mitarbeiterinnen und Mitarbeiter.${staff}`,
  },
  {
    class: 'other verb',
    question: 'Was macht der Windpark mit Strom?',
    draft:
      'Der Windpark Hohenfels verbraucht jährlich 186 Gigawattstunden Strom.{{Er erzeugt jährlich 186 Gigawattstunden Strom}}',
  },
  {
    class: 'other unit',
    question: 'Wie viel Strom erzeugt der Windpark?',
    draft:
      'Der Windpark Hohenfels erzeugt jährlich 186 Kilowattstunden Strom.{{Er erzeugt jährlich 186 Gigawattstunden Strom}}',
  },
  {
    class: 'missing scale',
    question: 'Wie hoch waren die Umsatzerlöse?',
    draft: `Die Umsatzerlöse betrugen 2022 8.417 Euro.${sales}`,
  },
  {
    class: 'wrong scale',
    question: 'Wie hoch sind die geplanten Investitionen?',
    draft:
      'Für 2023 sind Investitionen von 1,4 Millionen Euro geplant.{{Für 2023 sind Investitionen von 1,4 Milliarden Euro geplant}}',
  },
  {
    class: "another year's column",
    question: 'Wie hoch war das Betriebsergebnis 2022?',
    draft: 'Das Betriebsergebnis betrug 2022 845 Millionen Euro.{{Betriebsergebnis 912 845}}',
  },
  {
    class: 'other row',
    question: 'Wie hoch war der Personalaufwand 2022?',
    draft: 'Der Personalaufwand betrug 2022 5.208 Millionen Euro.{{Materialaufwand 5.208 4.310}}',
  },
  {
    class: 'negation',
    question: 'Gab es Kündigungen?',
    draft: 'Es gab betriebsbedingte Kündigungen.{{Betriebsbedingte Kündigungen gab es nicht}}',
  },
  {
    class: 'negation',
    question: 'Hat Lindgraf Kredite in Fremdwährung?',
    draft:
      'Die Gesellschaft hat Kredite in Fremdwährung aufgenommen.{{Die Gesellschaft hat keine Kredite in Fremdwährung aufgenommen}}',
  },
  {
    class: 'direction',
    question: 'Wie entwickelte sich die Fernwärme?',
    draft:
      'Das Ergebnis im Geschäftsfeld Fernwärme stieg um 7,5 %.{{Das Ergebnis im Geschäftsfeld Fernwärme ging um 7,5 % zurück}}',
  },
  {
    class: 'swapped order',
    question: 'Wie hoch war der Anteil im Vorjahr?',
    draft: `Der Anteil erneuerbarer Energien sank von 51 % auf 46 %.${shareRenewable}`,
  },
  {
    class: 'wrong date',
    question: 'Wann ging Hohenfels in Betrieb?',
    draft:
      'Der Windpark Hohenfels ging am 12. Dezember 2022 in Betrieb.{{Am 2. Dezember 2022 nahm der Windpark Hohenfels mit 24 Anlagen den Betrieb auf}}',
  },
  {
    class: 'wrong month',
    question: 'Wann wurde Nordhafen stillgelegt?',
    draft:
      'Nordhafen wurde am 30. Juli 2022 stillgelegt.{{Das Kohlekraftwerk Nordhafen wurde am 30. Juni 2022 stillgelegt}}',
  },
  {
    class: 'swapped names',
    question: 'Wer leitet den Vorstand?',
    draft:
      'Jonas Reuter ist Vorsitzender des Vorstands.{{Dr. Katrin Wessling ist seit dem 1. April 2021 Vorsitzende des Vorstands; Jonas Reuter leitet das Ressort Finanzen}}',
  },
  {
    class: 'percentage points',
    question: 'Wie stieg der Anteil?',
    draft: `Der Anteil erneuerbarer Energien stieg um 51 %.${shareRenewable}`,
  },
  {
    class: 'wrong result',
    question: 'Um wie viel stieg der Umsatz?',
    draft: `Die Umsatzerlöse stiegen um 24,3 % (8.417 gegenüber 7.362).${sales}`,
  },
  {
    class: 'invented number',
    question: 'Wie hoch ist die Dividende?',
    draft:
      'Der Vorstand schlägt eine Dividende von 1,51 Euro je Aktie vor.{{Der Vorstand schlägt eine Dividende von 1,15 Euro je Aktie vor}}',
  },
  {
    class: 'pending as decided',
    question: 'Wie entschied das Gericht zu Altmoor?',
    draft:
      'Das Verwaltungsgericht hat dem Eilantrag der Gemeinde stattgegeben.{{das Verwaltungsgericht hat den Eilantrag der Gemeinde abgelehnt}}',
  },
  {
    class: 'plan as done',
    question: 'Wie viel wurde investiert?',
    draft:
      'Lindgraf hat 2022 1,4 Milliarden Euro investiert.{{Für 2023 sind Investitionen von 1,4 Milliarden Euro geplant}}',
  },
  {
    class: 'absence though it stands there',
    question: 'Wie hoch ist die Dividende?',
    draft: 'Der Bericht nennt keine Dividende.',
  },
  {
    class: 'wrong comparison',
    question: 'War der Materialaufwand niedriger?',
    draft: 'Der Materialaufwand war 2022 niedriger als 2021.{{Materialaufwand 5.208 4.310}}',
  },
]

import { type DocumentCases, fact } from '../case.ts'

export const wartung: DocumentCases = {
  file: 'wartung.html',
  kind: 'product manual',
  language: 'de',
  isAside: true,
  about: 'Wie wird der Heizkessel Thermara 24 gewartet?',
  facts: [
    fact(
      'Wie oft ist der Brenner zu reinigen?',
      'Der Brenner muss alle zwölf Monate gereinigt werden.',
      'Der Brenner ist alle zwölf Monate zu reinigen.',
      'Der Brenner ist alle zwölf Monate gründlich zu reinigen.',
      ['Der Brenner ist', 'alle zwölf Monate zu reinigen'],
    ),
    fact(
      'Wie lange muss der Kessel abkühlen?',
      'Der Kessel muss vor der Arbeit 45 Minuten lang abkühlen.',
      'Vor jeder Arbeit muss der Kessel 45 Minuten abkühlen.',
      'Vor jeder Arbeit muss der Kessel 45 Minuten lang abkühlen.',
      ['Vor jeder Arbeit', 'der Kessel 45 Minuten abkühlen'],
    ),
    fact(
      'Wann wird die Zündelektrode ersetzt?',
      'Nach 3.000 Betriebsstunden ist die Zündelektrode zu ersetzen.',
      'Die Zündelektrode wird nach 3.000 Betriebsstunden ersetzt.',
      'Die Zündelektrode wird nach je 3.000 Betriebsstunden ersetzt.',
      ['Die Zündelektrode wird', '3.000 Betriebsstunden ersetzt'],
    ),
    fact(
      'Wie lange gilt die Garantie?',
      'Die Garantie gilt fünf Jahre, aber nicht für Dichtungen.',
      'Die Garantie beträgt fünf Jahre; sie gilt nicht für Dichtungen.',
      'Die Garantie beträgt fünf Jahre; sie gilt aber nicht für Dichtungen.',
      ['Die Garantie beträgt fünf Jahre', 'sie gilt nicht für Dichtungen'],
    ),
  ],
  table: {
    question: 'Welche Leistung und welches Gewicht haben die Kessel?',
    header: '| | Thermara 24 | Thermara 35 |\n|---|---|---|',
    rows: [
      ['Nennleistung | 24 kW | 35 kW', 'Nennleistung 24 kW 35 kW'],
      ['Gewicht | 118 kg | 146 kg', 'Gewicht 118 kg 146 kg'],
    ],
  },
  truths: [
    {
      style: 'table cell with its unit',
      question: 'Welchen Wirkungsgrad hat der Thermara 35?',
      draft: 'Der Thermara 35 hat einen Wirkungsgrad von 93,8 %.{{Wirkungsgrad 94,5 % 93,8 %}}',
    },
    {
      style: 'number spelt out',
      question: 'Wie groß ist der Elektrodenabstand?',
      draft: 'Der Abstand der Elektroden beträgt vier Millimeter.{{Der Elektrodenabstand beträgt 4 mm}}',
    },
    {
      style: 'no first',
      question: 'Darf die Anode mit Lösungsmittel gereinigt werden?',
      draft:
        'Nein, die Opferanode darf nicht mit Lösungsmittel gereinigt werden.{{Die Opferanode darf nicht mit Lösungsmittel gereinigt werden}}',
    },
    {
      style: 'number from words',
      question: 'Wie oft ist der Brenner zu reinigen?',
      draft: 'Der Brenner ist alle 12 Monate zu reinigen.{{Der Brenner ist alle zwölf Monate zu reinigen}}',
    },
    {
      style: 'difference',
      question: 'Wie viel schwerer ist der Thermara 35?',
      draft: 'Der Thermara 35 ist 28 kg schwerer als der Thermara 24 (146 kg − 118 kg).{{Gewicht 118 kg 146 kg}}',
    },
    {
      style: 'answer in another language',
      question: 'What does F28 mean?',
      draft: 'F28 means that the pilot flame is missing.{{Bei der Meldung F28 fehlt die Zündflamme}}',
    },
    {
      style: 'what the passages do not say',
      question: 'Was kostet eine Wartung?',
      draft: 'Das Handbuch nennt keinen Preis für die Wartung.',
      free: ['Das Handbuch nennt keinen Preis für die Wartung.'],
    },
  ],
  lies: [
    {
      class: "other model's column",
      question: 'Wie schwer ist der Thermara 24?',
      draft: 'Der Thermara 24 wiegt 146 kg.{{Gewicht 118 kg 146 kg}}',
    },
    {
      class: 'other unit',
      question: 'Wie groß ist der Elektrodenabstand?',
      draft: 'Der Elektrodenabstand beträgt 4 cm.{{Der Elektrodenabstand beträgt 4 mm}}',
    },
    {
      class: 'negation',
      question: 'Gilt die Garantie für Dichtungen?',
      draft: 'Die Garantie gilt auch für Dichtungen.{{Die Garantie beträgt fünf Jahre; sie gilt nicht für Dichtungen}}',
    },
    {
      class: 'other verb',
      question: 'Was tue ich bei F28?',
      draft:
        'Bei F28 den Gashahn schließen.{{Bei der Meldung F28 fehlt die Zündflamme: Gashahn öffnen und die Taste Entstören drücken}}',
    },
    {
      class: 'other row',
      question: 'Wie hoch ist der Betriebsdruck?',
      draft: 'Der Betriebsdruck beträgt 24 bar.{{Nennleistung 24 kW 35 kW}}',
    },
    {
      class: 'order in time',
      question: 'Wann kühlt der Kessel ab?',
      draft:
        'Nach jeder Arbeit muss der Kessel 45 Minuten abkühlen.{{Vor jeder Arbeit muss der Kessel 45 Minuten abkühlen}}',
    },
    {
      class: 'wrong thing counted',
      question: 'Was ist mit 3.000?',
      draft:
        'Die Zündelektrode wird nach 3.000 Zündungen ersetzt.{{Die Zündelektrode wird nach 3.000 Betriebsstunden ersetzt}}',
    },
    {
      class: 'invented number',
      question: 'Wie lange gilt die Garantie?',
      draft: 'Die Garantie beträgt sieben Jahre.{{Die Garantie beträgt fünf Jahre}}',
    },
    {
      class: 'other subject',
      question: 'Was ist mit der Pumpe?',
      draft:
        'Die Umwälzpumpe wird nach 3.000 Betriebsstunden ersetzt.{{Die Zündelektrode wird nach 3.000 Betriebsstunden ersetzt}}',
    },
    {
      class: 'wrong result',
      question: 'Wie viel schwerer ist der Thermara 35?',
      draft: 'Der Thermara 35 ist 38 kg schwerer als der Thermara 24.{{Gewicht 118 kg 146 kg}}',
    },
  ],
}

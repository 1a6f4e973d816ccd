import { type DocumentCases, fact } from '../case.ts'

export const pumpManual: DocumentCases = {
  file: 'pump-manual.md',
  kind: 'product manual',
  language: 'en',
  isAside: false,
  about: 'How is the Aqualis 340 operated and maintained?',
  facts: [
    fact(
      'How often must the shaft seal be checked?',
      'The shaft seal is to be checked every 4,000 operating hours.',
      'Check the shaft seal every 4,000 operating hours.',
      'Check the shaft seal after every 4,000 operating hours.',
      ['Check the shaft seal', '4,000 operating hours'],
    ),
    fact(
      'When are the bearings replaced?',
      'The bearings must be replaced after 20,000 operating hours or five years.',
      'Replace the bearings after 20,000 operating hours or after five years, whichever comes first.',
      'Replace the bearings after 20,000 operating hours or five years, whichever is first.',
      ['Replace the bearings after 20,000 operating hours', 'whichever comes first'],
    ),
    fact(
      'How long is the warranty?',
      'The warranty runs for 36 months from delivery.',
      'The warranty period is 36 months from the date of delivery.',
      'The warranty period is 36 months from date of delivery.',
      ['The warranty period is', 'from the date of delivery'],
    ),
    fact(
      'What happens if the pump runs dry?',
      'Running the pump dry destroys the shaft seal within 90 seconds.',
      'Never start the pump dry: the shaft seal is destroyed within 90 seconds.',
      'Never start the pump when dry: the shaft seal is destroyed within 90 seconds.',
      ['Never start the pump dry', 'destroyed within 90 seconds'],
    ),
  ],
  table: {
    question: 'What do the fault codes mean?',
    header: '| Code | What to do |\n|---|---|',
    rows: [
      ['E04 | Let the motor cool for 30 minutes', 'E04 Motor too hot Let the motor cool for 30 minutes'],
      ['E07 | Open the valves and bleed the pump', 'E07 No flow Open the valves and bleed the pump'],
    ],
  },
  truths: [
    {
      style: 'table cell with its unit',
      question: 'What is the rated power of the Aqualis 340?',
      draft: 'The Aqualis 340 is rated at 1.5 kW.{{Rated power 1.5 kW 2.2 kW}}',
    },
    {
      style: 'table cell with its unit',
      question: 'How loud is the 340 S?',
      draft: 'The noise level of the 340 S is 58 dB(A).{{Noise level 52 dB(A) 58 dB(A)}}',
    },
    {
      style: 'name with a digit',
      question: 'How heavy is the Aqualis 340 S?',
      draft: 'The Aqualis 340 S weighs 27.9 kg.{{Weight 23.4 kg 27.9 kg}}',
    },
    {
      style: 'code in back ticks',
      question: 'How do I set the address of the pump?',
      draft:
        'Set it with `set bus.addr 17`; the factory setting is `1`.{{Set the address of the pump with the command `set bus.addr 17`; the factory setting is 1}}',
    },
    {
      style: 'code in back ticks',
      question: 'How do I open the menu?',
      draft: 'Hold `MODE` for three seconds.{{Press and hold `MODE` for three seconds to open the menu}}',
    },
    {
      style: 'command in a code fence',
      question: 'Which command sets the address?',
      draft:
        'Use this command to set the address:\n\n```\nset bus.addr 17\n```\n\nThe factory setting is 1.{{the factory setting is 1}}',
      free: ['Use this command to set the address:', 'set bus.addr 17'],
    },
    {
      style: 'no first',
      question: 'May the pump be used for sea water?',
      draft: 'No. The pump must not be used for sea water.{{It must not be used for petrol, solvents or sea water}}',
      free: ['No.'],
    },
    {
      style: 'yes first',
      question: 'Must the earth wire be connected first?',
      draft: 'Yes, connect the earth wire before any other wire.{{Connect the earth wire before any other wire}}',
    },
    {
      style: 'number spelt out',
      question: 'How often does the pump send its status?',
      draft: 'The pump sends its status every ten seconds.{{The pump sends its status over Modbus every 10 seconds}}',
    },
    {
      style: 'number from words',
      question: 'When does the pump stay switched off?',
      draft:
        'After 3 faults E04 in 1 hour the pump switches off and must be restarted by hand.{{If E04 appears three times within one hour, the pump switches off and must be restarted by hand}}',
    },
    {
      style: 'what the passages do not say',
      question: 'How much does the pump weigh and cost?',
      draft: 'The Aqualis 340 weighs 23.4 kg.{{Weight 23.4 kg 27.9 kg}} The manual does not state a price.',
      free: ['The manual does not state a price.'],
    },
    {
      style: 'steps as a numbered list',
      question: 'How is the pump installed?',
      draft:
        '1. Close the isolation valves.{{Close the isolation valves on both sides}}\n2. Mount the pump with a horizontal shaft.{{Mount the pump with the shaft horizontal}}\n3. Tighten the flange bolts to 45 Nm.{{Tighten the four flange bolts to 45 Nm}}',
    },
    {
      style: 'derived comparison',
      question: 'Which model is louder?',
      draft: 'The 340 S is louder than the 340.{{Noise level 52 dB(A) 58 dB(A)}}',
    },
    {
      style: 'difference',
      question: 'How much heavier is the 340 S?',
      draft: 'The 340 S is 4.5 kg heavier than the 340 (27.9 kg − 23.4 kg).{{Weight 23.4 kg 27.9 kg}}',
    },
    { style: 'one word', question: 'What is the protection class?', draft: 'IP55.{{The pump is rated IP55}}' },
    {
      style: 'abbreviations',
      question: 'How much space does the motor need?',
      draft:
        'Leave min. 300 mm of free space behind the motor, i.e. for cooling.{{Leave at least 300 mm of free space behind the motor for cooling}}',
    },
    {
      style: 'answer in another language',
      question: 'Wie lange läuft die Garantie?',
      draft:
        'Die Garantie beträgt 36 Monate ab Lieferung.{{The warranty period is 36 months from the date of delivery}}',
    },
    {
      style: 'unit converted',
      question: 'What is the rated power in watts?',
      draft: 'The rated power is 1,500 W.{{Rated power 1.5 kW 2.2 kW}}',
    },
    {
      style: 'question restated',
      question: 'Which grease should be used for the bearings?',
      draft:
        'For the bearings, lithium grease of grade NLGI 2 should be used.{{Use only lithium grease of grade NLGI 2}}',
    },
    {
      style: 'organisation for "we"',
      question: 'Which bearings need no grease?',
      draft:
        'The manual of the Aqualis 340 says that the bearings of the 340 S need no grease.{{The bearings of the Aqualis 340 S are sealed and need no grease}}',
    },
  ],
  lies: [
    {
      class: 'other unit',
      question: 'What is the rated power?',
      draft: 'The rated power of the Aqualis 340 is 1.5 MW.{{Rated power 1.5 kW 2.2 kW}}',
    },
    {
      class: 'other unit',
      question: 'When are the bearings replaced?',
      draft:
        'The bearings must be replaced after 20,000 days.{{Replace the bearings after 20,000 operating hours or after five years, whichever comes first}}',
    },
    {
      class: "other model's column",
      question: 'How heavy is the Aqualis 340?',
      draft: 'The Aqualis 340 weighs 27.9 kg.{{Weight 23.4 kg 27.9 kg}}',
    },
    {
      class: 'other row',
      question: 'What is the maximum head?',
      draft: 'The maximum head of the Aqualis 340 is 18 m.{{Maximum flow 18 m³/h 24 m³/h}}',
    },
    {
      class: 'negation',
      question: 'May I use it for solvents?',
      draft:
        'The pump may be used for solvents and sea water.{{It must not be used for petrol, solvents or sea water}}',
    },
    {
      class: 'other verb',
      question: 'What do I do with the isolation valves?',
      draft: 'Open the isolation valves on both sides.{{Close the isolation valves on both sides}}',
    },
    {
      class: 'order in time',
      question: 'When is the earth wire connected?',
      draft: 'Connect the earth wire after all other wires.{{Connect the earth wire before any other wire}}',
    },
    {
      class: 'wrong thing counted',
      question: 'What is 36?',
      draft: 'The warranty covers 36 pumps.{{The warranty period is 36 months from the date of delivery}}',
    },
    {
      class: 'bound turned',
      question: 'How much space is needed?',
      draft:
        'Leave at most 300 mm of free space behind the motor.{{Leave at least 300 mm of free space behind the motor for cooling}}',
    },
    {
      class: 'invented number',
      question: 'To what torque are the bolts tightened?',
      draft: 'Tighten the flange bolts to 65 Nm.{{Tighten the four flange bolts to 45 Nm}}',
    },
    {
      class: 'other subject',
      question: 'Which bearings need no grease?',
      draft:
        'The bearings of the Grundwell 900 are sealed and need no grease.{{The bearings of the Aqualis 340 S are sealed and need no grease}}',
    },
    {
      class: 'swapped names',
      question: 'What does E07 mean?',
      draft: 'E07 means that the motor is too hot.{{E04 Motor too hot}}{{E07 No flow}}',
    },
    {
      class: 'wrong command',
      question: 'How do I set the address?',
      draft:
        'Set the address with `set bus.port 17`.{{Set the address of the pump with the command `set bus.addr 17`}}',
    },
    {
      class: 'wrong key',
      question: 'How do I restore the factory settings?',
      draft:
        'Hold `MODE` for eight seconds to restore the factory settings.{{Hold `RESET` for eight seconds to restore the factory settings}}',
    },
    {
      class: 'condition dropped',
      question: 'When does the pump switch off?',
      draft:
        'The pump switches off whenever E04 appears once.{{If E04 appears three times within one hour, the pump switches off}}',
    },
    {
      class: 'wrong result',
      question: 'How much heavier is the 340 S?',
      draft: 'The 340 S is 5.4 kg heavier than the 340.{{Weight 23.4 kg 27.9 kg}}',
    },
    {
      class: 'wrong comparison',
      question: 'Which model is louder?',
      draft: 'The 340 is louder than the 340 S.{{Noise level 52 dB(A) 58 dB(A)}}',
    },
    {
      class: 'claim from nowhere',
      question: 'Is the pump waterproof?',
      draft: 'The pump can be operated under water.{{The pump is rated IP55}}',
    },
    {
      class: 'absence though it stands there',
      question: 'How long is the warranty?',
      draft: 'The manual does not state how long the warranty is.',
    },
    {
      class: 'too general',
      question: 'Which bearings need grease?',
      draft: 'No model of the pump needs grease.{{The bearings of the Aqualis 340 S are sealed and need no grease}}',
    },
  ],
}

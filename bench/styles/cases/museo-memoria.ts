import { type DocumentCases, fact } from '../case.ts'

const visitors = '{{El museo recibió 184.620 visitantes en 2022, frente a 131.905 en 2021}}'

export const museoMemoria: DocumentCases = {
  file: 'museo-memoria.md',
  kind: 'yearly report of a museum',
  language: 'es',
  isAside: true,
  about: '¿Qué cuenta la memoria del museo sobre 2022?',
  facts: [
    fact(
      '¿Cuántos visitantes recibió el museo en 2022?',
      'En 2022 el museo tuvo 184.620 visitantes.',
      'El museo recibió 184.620 visitantes en 2022, frente a 131.905 en 2021.',
      'El museo recibió 184.620 visitantes en 2022, frente a los 131.905 de 2021.',
      ['El museo recibió 184.620 visitantes', 'frente a 131.905 en 2021'],
    ),
    fact(
      '¿Cuántos visitantes llegaron del extranjero?',
      'El 37 % de las personas que visitaron el museo llegó del extranjero.',
      'El 37 % de los visitantes llegó del extranjero.',
      'El 37 % de los visitantes llegó desde el extranjero.',
      ['El 37 % de los visitantes', 'llegó del extranjero'],
    ),
    fact(
      '¿Cuánto cuesta la entrada?',
      'La entrada general cuesta 9 euros y es gratuita para menores de 12 años.',
      'La entrada general cuesta 9 euros; los menores de 12 años no pagan.',
      'La entrada general cuesta 9 euros; y los menores de 12 años no pagan.',
      ['La entrada general cuesta 9 euros', 'los menores de 12 años no pagan'],
    ),
    fact(
      '¿Cuántas piezas posee el museo?',
      'El museo tiene 5.310 piezas y expone unas 900.',
      'El museo posee 5.310 piezas, de las cuales se exponen unas 900.',
      'El museo posee 5.310 piezas, de las que se exponen unas 900.',
      ['El museo posee 5.310 piezas', 'se exponen unas 900'],
    ),
  ],
  table: {
    question: '¿Cuántos visitantes hubo en abril y agosto?',
    header: '| Mes | 2022 | 2021 |\n|---|---|---|',
    rows: [
      ['Abril | 21.340 | 9.875', 'Abril 21.340 9.875'],
      ['Agosto | 24.118 | 18.460', 'Agosto 24.118 18.460'],
    ],
  },
  truths: [
    {
      style: 'no first',
      question: '¿Tiene deudas el museo?',
      draft: 'No. El museo no tiene deudas.{{El museo no tiene deudas}}',
      free: ['No.'],
    },
    {
      style: 'date reformatted',
      question: '¿Cuándo se cerró la sala de máquinas?',
      draft:
        'La sala de máquinas se cerró el 15/11/2022 por obras.{{La sala de máquinas se cerró el 15 de noviembre de 2022 por obras}}',
    },
    {
      style: 'difference',
      question: '¿Cuántos visitantes más que en 2021?',
      draft: `Hubo 52.715 visitantes más que en 2021 (184.620 − 131.905).${visitors}`,
    },
    {
      style: 'derived comparison',
      question: '¿Hubo más visitantes en agosto de 2022?',
      draft: 'En agosto de 2022 hubo más visitantes que en agosto de 2021.{{Agosto 24.118 18.460}}',
    },
    {
      style: 'rounded number',
      question: '¿Cuántos visitantes hubo?',
      draft: `El museo recibió casi 185.000 visitantes en 2022.${visitors}`,
    },
    {
      style: 'according to the report',
      question: '¿Quién dirige el museo?',
      draft:
        'Según la memoria, Elena Figueroa dirige el museo desde septiembre de 2018.{{Elena Figueroa dirige el museo desde septiembre de 2018}}',
    },
    {
      style: 'answer in another language',
      question: 'How large was the budget?',
      draft: 'The budget was 3.2 million euros.{{El presupuesto fue de 3,2 millones de euros}}',
    },
    {
      style: 'what the passages do not say',
      question: '¿Cuánto gana la directora?',
      draft: 'Los pasajes no indican cuánto gana la directora.',
      free: ['Los pasajes no indican cuánto gana la directora.'],
    },
  ],
  lies: [
    {
      class: "another year's column",
      question: '¿Cuántos visitantes hubo en abril de 2022?',
      draft: 'En abril de 2022 hubo 9.875 visitantes.{{Abril 21.340 9.875}}',
    },
    {
      class: 'other row',
      question: '¿Cuántos visitantes hubo en diciembre de 2022?',
      draft: 'En diciembre de 2022 hubo 24.118 visitantes.{{Agosto 24.118 18.460}}',
    },
    {
      class: 'negation',
      question: '¿Tiene deudas el museo?',
      draft: 'El museo tiene deudas.{{El museo no tiene deudas}}',
    },
    {
      class: 'direction',
      question: '¿Cómo evolucionaron los ingresos?',
      draft: 'Los ingresos por entradas disminuyeron un 24 %.{{Los ingresos por entradas aumentaron un 24 %}}',
    },
    {
      class: 'wrong month',
      question: '¿Cuándo se inauguró la exposición?',
      draft:
        'La exposición «Ríos de sal» se inauguró el 3 de mayo de 2022.{{La exposición «Ríos de sal» se inauguró el 3 de marzo de 2022}}',
    },
    {
      class: 'missing scale',
      question: '¿Cuál fue el presupuesto?',
      draft: 'El presupuesto fue de 3,2 euros.{{El presupuesto fue de 3,2 millones de euros}}',
    },
    {
      class: 'other verb',
      question: '¿Qué pasó con la sala de máquinas?',
      draft:
        'La sala de máquinas se abrió el 15 de noviembre de 2022.{{La sala de máquinas se cerró el 15 de noviembre de 2022 por obras}}',
    },
    {
      class: 'plan as done',
      question: '¿Está abierta la sala?',
      draft: 'La sala de máquinas ya volvió a abrir.{{volverá a abrir en la primavera de 2024}}',
    },
    {
      class: 'too general',
      question: '¿Cuántas piezas se exponen?',
      draft: 'Se exponen todas las piezas del museo.{{El museo posee 5.310 piezas, de las cuales se exponen unas 900}}',
    },
    {
      class: 'wrong result',
      question: '¿Cuántos visitantes más?',
      draft: `Hubo 62.715 visitantes más que en 2021.${visitors}`,
    },
    {
      class: 'other subject',
      question: '¿Cuántos visitantes recibió el Prado?',
      draft: `El Prado recibió 184.620 visitantes en 2022.${visitors}`,
    },
  ],
}

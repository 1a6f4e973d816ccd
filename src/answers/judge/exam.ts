import type { Evidence, Observation } from '../../events/index.ts'
import { type Claim, judgementIn } from './reading.ts'

type ExamPassage = Pick<Observation, 'year' | 'section' | 'kind' | 'text'> & { readonly document: string }

const passages: readonly ExamPassage[] = [
  {
    document: 'Tarnbeck Valves – Annual Report 2023',
    year: 2023,
    section: 'Income statement',
    kind: 'table',
    text: 'Consolidated income statement\n(in thousands of euros)\nYear ended 30 June | 2023 | 2022 | 2021\nNet sales | 48,210 | 44,905 | 41,377\nCost of sales | 29,640 | 28,115 | 25,902\nResearch and development | 3,905 | 4,120 | 3,610\nOperating income | 6,240 | 5,012 | 5,480\nNet income | 4,118 | 3,296 | 3,702\nEarnings per share (euros) | 2.06 | 1.65 | 1.85',
  },
  {
    document: 'Tarnbeck Valves – Annual Report 2023',
    year: 2023,
    section: 'Outlook',
    kind: 'text',
    text: 'In March 2023 we agreed to acquire the pump maker Oldra. The acquisition is subject to the approval of the competition authority, which had not been given when this report was printed. If it is approved, we plan to close the plant in Morlund and to move its 140 employees to Oldra’s site. Our largest customer, Vestby Water, ended its contract in May 2023; it accounted for 9 % of net sales. The board proposes a dividend of 0.80 euros per share for all shares except those held by the company itself.',
  },
  {
    document: 'Staff handbook of the Arlen Clinic',
    year: 2022,
    section: 'Leave',
    kind: 'text',
    text: 'Employees may take up to ten days of paid study leave in a calendar year, provided that they have worked at the clinic for at least twelve months. Nurses on night duty receive two additional days of rest in each quarter; physicians do not. Leave that is not taken by 31 March of the following year lapses, unless it could not be taken because of illness. Requests are approved by the head of the ward, not by the personnel department. Visitors must sign in at the north entrance.',
  },
  {
    document: 'Meadow plots and wild bees',
    year: 2021,
    section: 'Results',
    kind: 'text',
    text: 'We surveyed 64 meadow plots in two seasons. Plots that were mown once a year had more bee species than plots that were mown three times (median 21 against 14; p = 0.01). The number of individuals did not differ significantly between the groups. Bumblebees were more frequent near hedges; this was not tested statistically. We found no species that is on the national red list. The survey was paid for by the Lindqvist Fund, which had no part in its design.',
  },
  {
    document: 'Bedienungsanleitung Luftentfeuchter LT 40',
    year: 2020,
    section: 'Technische Daten und Wartung',
    kind: 'text',
    text: 'Der LT 40 entzieht der Luft bei 27 °C bis zu 18 Liter Wasser am Tag, der LT 60 bis zu 26 Liter. Beide Geräte dürfen nur in Räumen über 5 °C betrieben werden. Der Filter ist alle drei Monate zu reinigen und nach zwei Jahren zu ersetzen. Vor der Reinigung muss der Netzstecker gezogen werden. Der Wassertank des LT 40 fasst 4,5 Liter; ist er voll, schaltet sich das Gerät ab. Ein Schlauch für den Dauerbetrieb liegt nur dem LT 60 bei.',
  },
  {
    document: 'Règlement de la bibliothèque de Sauvigny',
    year: 2019,
    section: 'Prêts',
    kind: 'text',
    text: 'L’inscription est gratuite pour les habitants de Sauvigny et coûte 12 euros par an aux autres lecteurs. Chaque lecteur peut emprunter huit documents pour trois semaines, dont deux films au plus. Le prêt peut être prolongé une fois, sauf si le document est réservé par un autre lecteur. Les ouvrages de référence sont consultés sur place. En cas de perte, le lecteur remplace le document ou en paie la valeur.',
  },
  {
    document: 'Memoria del Museo del Corcho',
    year: 2022,
    section: 'Visitantes',
    kind: 'table',
    text: 'Visitantes por sala y año\n | 2020 | 2021 | 2022\nSala de herramientas | 3.120 | 5.480 | 8.940\nSala de la cosecha | 2.070 | 4.310 | 7.115\nTaller infantil | 640 | 1.905 | 3.270\nTotal | 5.830 | 11.695 | 19.325\nLa entrada al taller infantil es gratuita. El museo cerró tres meses en 2020.',
  },
  {
    document: 'Verbale del consiglio comunale di Pratovecchio',
    year: 2023,
    section: 'Deliberazioni',
    kind: 'text',
    text: 'Il consiglio ha approvato con 9 voti contro 4 il progetto della nuova piscina. L’assessora Renata Colli ha presentato il progetto; il consigliere Davide Maggi ha votato contro. I lavori costeranno 2,4 milioni di euro, dei quali la regione pagherà un terzo. L’inizio è previsto per l’aprile 2024. La proposta di chiudere il mercato coperto è stata respinta.',
  },
]

const claims: readonly (readonly [holds: boolean, text: string])[] = [
  [true, 'Tarnbeck’s net sales were about 48.2 million euros in the year to June 2023.'],
  [false, 'Tarnbeck’s net sales were 48,210 euros in the year to June 2023.'],
  [false, 'Tarnbeck spent 4,120 thousand euros on research and development in fiscal 2023.'],
  [true, 'Operating income had fallen in fiscal 2022 before it rose in fiscal 2023.'],
  [false, 'Net income was 6,240 thousand euros in fiscal 2023.'],
  [
    true,
    'Research and development took less than a tenth of net sales in fiscal 2023, so it is no large part of the cost.',
  ],
  [false, 'Tarnbeck acquired Oldra in March 2023.'],
  [true, 'Whether Tarnbeck gets Oldra depends on the competition authority.'],
  [false, 'Tarnbeck has closed its plant in Morlund and moved 140 employees.'],
  [false, 'Tarnbeck ended its contract with Vestby Water in May 2023.'],
  [true, 'A customer that stood for about a tenth of sales was lost in May 2023.'],
  [true, 'The passages name no price for Oldra.'],
  [false, 'Earnings per share rose because the costs of research and development fell.'],
  [true, 'At the Arlen Clinic, somebody who was hired six months ago gets no paid study leave.'],
  [false, 'All employees of the Arlen Clinic may take ten days of paid study leave a year.'],
  [false, 'Physicians and nurses on night duty receive two additional days of rest a quarter.'],
  [true, 'Nurses on night duty at the Arlen Clinic get eight additional days of rest in a year.'],
  [false, 'Leave that was not taken because of illness lapses on 31 March of the following year.'],
  [false, 'Requests for leave are approved by the personnel department of the clinic.'],
  [true, 'Mowing once a year went with more species of bees than mowing three times.'],
  [false, 'Plots mown three times a year had more bee species than plots mown once.'],
  [true, 'How often a plot was mown made no significant difference to the number of individuals.'],
  [false, 'Bumblebees were significantly more frequent near hedges.'],
  [false, 'The Lindqvist Fund designed the survey of meadow plots.'],
  [true, 'The LT 60 removes more water from the air than the LT 40.'],
  [false, 'Der LT 60 entzieht der Luft bis zu 18 Liter Wasser am Tag.'],
  [true, 'In einem Keller mit 3 °C darf der LT 40 nicht laufen.'],
  [false, 'Dem LT 40 liegt ein Schlauch für den Dauerbetrieb bei.'],
  [true, 'Der Filter wird viermal im Jahr gereinigt.'],
  [true, 'Un habitant de Sauvigny ne paie rien pour s’inscrire.'],
  [false, 'Un lecteur de Sauvigny peut emprunter huit films pour trois semaines.'],
  [true, 'Readers from other towns pay 12 euros a year at the library of Sauvigny.'],
  [false, 'Le prêt peut toujours être prolongé une fois.'],
  [true, 'El taller infantil tuvo 3.270 visitantes en 2022.'],
  [false, 'La sala de la cosecha tuvo 4.310 visitantes en 2022.'],
  [true, 'More than three times as many people came to the Museo del Corcho in 2022 as in 2020.'],
  [true, 'Il progetto della piscina ha avuto 13 voti in tutto, nove dei quali favorevoli.'],
  [false, 'Renata Colli ha votato contro il progetto della piscina.'],
  [true, 'The region of Pratovecchio is to pay 0.8 million euros for the swimming pool.'],
  [true, 'Il mercato coperto resta aperto.'],
]

/**
 * What a reader is examined with: invented passages, and 40 claims of known truth over them, half of them false in the ways in
 * which models are wrong (another year, row, scale, subject, verb or scope, a plan told as done), and half of them true in ways
 * that strict or shallow readers refuse (other words and languages, conversions, cells, absences, what follows).
 */
export const examPaper = { passages, claims: claims.map(([holds, text]) => ({ text, holds })) }

/** Its passages and claims in the form of every second reading. */
export const examEvidence: readonly Evidence[] = passages.map(evidenceOf)

export const examClaims: readonly Claim[] = claims.map(([, text]) => ({
  text,
  under: null,
  kind: 'sentence',
  formulas: [],
  notes: [],
}))

/** How many claims of the paper a reply judges rightly; one without a verdict counts as wrong. */
export function examMark(reply: string): number {
  const { verdicts } = judgementIn(reply, claims.length)
  return claims.filter(([holds], index) => verdicts.get(index + 1)?.holds === holds).length
}

function evidenceOf({ document, year, section, kind, text }: ExamPassage, index: number): Evidence {
  const id = `P${index + 1}`
  const documentId = `exam-${index + 1}`
  const shared = { documentId, title: document, source: document, year, page: 1, section, kind, text, score: 1 }
  const passage = { ...shared, id, origin: 'documents' as const }
  const place = { passageId: `${documentId}.0`, authors: [], origin: 'documents' as const, format: 'text' as const }
  return { passage, observation: { ...shared, ...place, start: 0, end: text.length } }
}

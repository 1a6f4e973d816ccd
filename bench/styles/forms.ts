import type { DocumentCases, Fact, Language } from './case.ts'

/** How a writer cites and lays out an answer, whatever the answer says. */
export interface Form {
  readonly style: string
  readonly write: (facts: readonly Fact[], document: DocumentCases) => string
  /** How many facts it states. */
  readonly facts: 1 | 2 | 4
}

function one(style: string, write: (fact: Fact) => string): Form {
  return { style, facts: 1, write: ([fact]) => (fact ? write(fact) : '') }
}

function several(style: string, facts: Form['facts'], write: Form['write']): Form {
  return { style, facts, write }
}

const bare = (sentence: string): string => sentence.replace(/\.$/, '')
const id = ({ quote }: Fact): string => `{{#${quote}}}`
const copied = ({ quote }: Fact): string => `{{=${quote}}}`
const cite = ({ quote }: Fact): string => `{{${quote}}}`
const cites = (facts: readonly Fact[]): string => facts.map(cite).join('')
const claims = (facts: readonly Fact[]): string => facts.map(({ claim }) => claim).join(' ')
const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``
const json = (value: unknown): string => JSON.stringify(value, null, 2)

/** Words around an answer, in each language. None of them needs a citation, and none must be shown. */
const around: Readonly<
  Record<Language, { lead: string; heading: string; sources: string; end: string; bold: string }>
> = {
  en: {
    lead: 'Here is what the document says:',
    heading: 'Answer',
    sources: 'Sources',
    end: 'Let me know if you need more details.',
    bold: 'Key point',
  },
  de: {
    lead: 'Das Dokument sagt dazu Folgendes:',
    heading: 'Antwort',
    sources: 'Quellen',
    end: 'Ich hoffe, das hilft weiter.',
    bold: 'Wichtig',
  },
  fr: {
    lead: 'Voici ce que dit le document :',
    heading: 'Réponse',
    sources: 'Sources',
    end: "N'hésitez pas à me demander plus de détails.",
    bold: 'À retenir',
  },
  es: {
    lead: 'Esto es lo que dice el documento:',
    heading: 'Respuesta',
    sources: 'Fuentes',
    end: 'Espero que esto le sea útil.',
    bold: 'Importante',
  },
}

/** Where the citation of one sentence stands, and how it is written. */
const citations: readonly Form[] = [
  one('quote after the full stop', (fact) => `${fact.claim}${cite(fact)}`),
  one('quote before the full stop', (fact) => `${bare(fact.claim)}${cite(fact)}.`),
  one('[P2] after the full stop', (fact) => `${fact.claim} [${id(fact)}]`),
  one('[P2] before the full stop', (fact) => `${bare(fact.claim)} [${id(fact)}].`),
  one('[2]', (fact) => `${bare(fact.claim)} [{{##${fact.quote}}}].`),
  one('(P2)', (fact) => `${bare(fact.claim)} (${id(fact)}).`),
  one('"quote" [P2]', (fact) => `${fact.claim} "${copied(fact)}" [${id(fact)}]`),
  one('(P2: "quote")', (fact) => `${bare(fact.claim)} (${id(fact)}: "${copied(fact)}").`),
  one('<cite id="P2"/>', (fact) => `${fact.claim}<cite id="${id(fact)}"/>`),
  one('<cite P2>', (fact) => `${fact.claim}<cite ${id(fact)}>`),
  one('<cite id="P2"></cite>', (fact) => `${fact.claim}<cite id="${id(fact)}"></cite>`),
  one('<cite id="P2" quote="…"/>', (fact) => `${fact.claim}<cite id="${id(fact)}" quote="${copied(fact)}"/>`),
  one('<cite> without id', (fact) => `${fact.claim}<cite>${copied(fact)}</cite>`),
  one('【P2】', (fact) => `${fact.claim}【${id(fact)}】`),
  one('[P2](#P2)', (fact) => `${fact.claim} [${id(fact)}](#${id(fact)})`),
  one('quote as a block below', (fact) => `${fact.claim}\n\n> ${copied(fact)} [${id(fact)}]`),
  several('passage named in two sentences', 2, ([a, b]) =>
    a && b ? `${a.claim} [${id(a)}] ${b.claim} [${id(b)}]` : '',
  ),
  several('one [P2] at the end of a paragraph', 2, (facts) => {
    const ids = [...new Set(facts.map(id))]
    return `${claims(facts)} ${ids.map((each) => `[${each}]`).join('')}`
  }),
  several('quotes at the end of a paragraph', 4, (facts) => `${claims(facts)}${cites(facts)}`),
  several('[P2, P3] at the end of a paragraph', 4, (facts) => `${claims(facts)} [${facts.map(id).join(', ')}]`),
]

/** How the quote was copied. */
const quotes: readonly Form[] = [
  one('… in the quote', (fact) => `${fact.claim}<cite id="${id(fact)}">${fact.parts.join(' … ')}</cite>`),
  one('[...] in the quote', (fact) => `${fact.claim}<cite id="${id(fact)}">${fact.parts.join(' [...] ')}</cite>`),
  one('quote off by a word', (fact) => `${fact.claim}<cite id="${id(fact)}">${fact.careless}</cite>`),
  one('quote in typographic marks', (fact) => `${fact.claim}<cite id="${id(fact)}">“${copied(fact)}”</cite>`),
  one('quote on a line of its own', (fact) => `${fact.claim}<cite id="${id(fact)}">\n${copied(fact)}\n</cite>`),
  one('quote begins with a capital', (fact) => {
    const quote = `${fact.quote.charAt(0).toUpperCase()}${fact.quote.slice(1)}`
    return `${fact.claim}<cite id="${id(fact)}">${quote}.</cite>`
  }),
  one('quote wrapped over two lines', (fact) => {
    return `${fact.claim}<cite id="${id(fact)}">${fact.quote.replace(/ (?=\S+$)/, '\n')}</cite>`
  }),
]

/** How the answer is laid out. */
const layouts: readonly Form[] = [
  several('bullet list', 4, (facts) => facts.map((fact) => `- ${fact.claim}${cite(fact)}`).join('\n')),
  several('numbered list', 4, (facts) => facts.map((fact, at) => `${at + 1}. ${fact.claim}${cite(fact)}`).join('\n')),
  several('nested list', 4, (facts) => {
    return facts.map((fact, at) => `${at % 2 === 0 ? '- ' : '  - '}${fact.claim}${cite(fact)}`).join('\n')
  }),
  several('list with one citation at its end', 4, (facts) => {
    const ids = [...new Set(facts.map(id))]
    return `${facts.map(({ claim }) => `- ${bare(claim)}`).join('\n')} [${ids.join('][')}]`
  }),
  several('list with its quotes below', 4, (facts) => {
    return `${facts.map(({ claim }) => `- ${claim}`).join('\n')}\n\n${cites(facts)}`
  }),
  several('lead-in and list', 4, (facts, { language }) => {
    return `${around[language].lead}\n\n${facts.map((fact) => `- ${fact.claim} [${id(fact)}]`).join('\n')}`
  }),
  several('heading and paragraph', 2, (facts, { language }) => {
    return `## ${around[language].heading}\n\n${facts.map((fact) => `${fact.claim}${cite(fact)}`).join(' ')}`
  }),
  one('bold sentence', (fact) => `**${fact.claim}**${cite(fact)}`),
  several('bold label before each item', 4, (facts, { language }) => {
    return facts.map((fact) => `- **${around[language].bold}:** ${fact.claim}${cite(fact)}`).join('\n')
  }),
  several('closing words', 1, ([fact], { language }) => {
    return fact ? `${fact.claim}${cite(fact)}\n\n${around[language].end}` : ''
  }),
  one('whole answer in a code fence', (fact) => fenced('markdown', `${fact.claim}${cite(fact)}`)),
  several('JSON with citations', 2, (facts) => {
    const cited = facts.map((fact) => ({ id: id(fact), quote: copied(fact) }))
    return fenced('json', json({ answer: claims(facts), citations: cited }))
  }),
  several('JSON with claims', 2, (facts) => {
    const stated = facts.map((fact) => ({ text: fact.claim, citations: [{ passage: id(fact), quote: copied(fact) }] }))
    return fenced('json', json({ claims: stated }))
  }),
  several('footnotes with a list below', 2, (facts) => {
    const notes = facts.map((fact, at) => `[^${at + 1}]: ${id(fact)}: "${copied(fact)}"`)
    return `${facts.map(({ claim }, at) => `${claim}[^${at + 1}]`).join(' ')}\n\n${notes.join('\n')}`
  }),
  several('numbers with a list of sources below', 2, (facts, { language }) => {
    const notes = facts.map((fact, at) => `[${at + 1}] ${id(fact)}: "${copied(fact)}"`)
    const text = facts.map(({ claim }, at) => `${bare(claim)} [${at + 1}].`).join(' ')
    return `${text}\n\n${around[language].sources}:\n${notes.join('\n')}`
  }),
]

export const forms: readonly Form[] = [...citations, ...quotes, ...layouts]

/** A table with a citation in the last cell of each row, or with the names of its passages below. */
export const tables: readonly { readonly style: string; readonly write: (document: DocumentCases) => string }[] = [
  {
    style: 'table with a citation in each row',
    write: ({ table: { header, rows } }) =>
      [header, ...rows.map(([cells, quote]) => `| ${cells} {{${quote}}} |`)].join('\n'),
  },
  {
    style: 'table with [P2] below',
    write: ({ table: { header, rows } }) =>
      `${[header, ...rows.map(([cells]) => `| ${cells} |`)].join('\n')}\n\n${rows.map(([, quote]) => `[{{#${quote}}}]`).join('')}`,
  },
  {
    style: 'lead-in and table',
    write: ({ language, table: { header, rows } }) =>
      [around[language].lead, '', header, ...rows.map(([cells, quote]) => `| ${cells} {{${quote}}} |`)].join('\n'),
  },
]

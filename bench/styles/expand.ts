import {
  type Case,
  type DocumentCases,
  type FalseCase,
  readDocuments,
  sentencesOf,
  type TrueCase,
  withoutFormulas,
} from './case.ts'
import { type Form, forms, tables } from './forms.ts'

/** A case before it is known which half it belongs to. */
type Placed = Omit<Case, 'isAside'>

/** All cases. Those of some documents, and of every second style or class of the others, are put aside. */
export function allCases(): readonly Case[] {
  const general = readDocuments(false).flatMap((document) => [
    ...forms.map((form, at) => ofForm(form, at, document)),
    ...tables.map(({ style, write }) => ofTable(style, write(document), document)),
    ...ofDrafts(document),
  ])
  // Last, so that the halves of the others stay as they are.
  const cases = [...general, ...readDocuments(true).flatMap(ofDrafts)]
  const groups = [true, false].map((isTrue) => [
    ...new Set(cases.filter((each) => each.isTrue === isTrue).map(({ group }) => group)),
  ])
  const isSecond = ({ group }: Placed) => groups.some((names) => names.indexOf(group) % 2 === 1)
  return cases.map((each) => ({ ...each, isAside: each.document.isAside || isSecond(each) }))
}

function ofDrafts(document: DocumentCases): readonly Placed[] {
  return [
    ...document.truths.map((written) => ofTruth(written, document)),
    ...document.lies.flatMap((written) => ofLie(written, document)),
  ]
}

function ofForm({ style, facts, write }: Form, at: number, document: DocumentCases): Placed {
  const from = facts === 1 ? at % document.facts.length : 0
  const stated = document.facts.slice(from, from + facts)
  return {
    document,
    group: style,
    isTrue: true,
    question: facts === 1 ? (stated[0]?.question ?? '') : document.about,
    draft: write(stated, document),
    sentences: stated.map(({ claim }) => claim),
    free: [],
    variant: asWritten,
  }
}

function ofTable(style: string, draft: string, document: DocumentCases): Placed {
  const { question, header, rows } = document.table
  const sentences = rows.map(([cells]) => cells)
  return {
    document,
    group: style,
    isTrue: true,
    question,
    draft,
    sentences,
    free: [header.split('\n')[0] ?? ''],
    variant: asWritten,
  }
}

function ofTruth({ style, question, draft, free = [] }: TrueCase, document: DocumentCases): Placed {
  const cited = free.reduce((text, sentence) => text.replace(sentence, '{{}}'), draft)
  return {
    document,
    group: style,
    isTrue: true,
    question,
    draft,
    sentences: sentencesOf(cited),
    free,
    variant: asWritten,
  }
}

/**
 * A lie as written, with its passages named only, and behind a true sentence, with all quotes at the end. A lie without a
 * quote of its own stands as written, and behind a true sentence.
 */
function ofLie(written: FalseCase, document: DocumentCases): readonly Placed[] {
  const { class: group, question, draft } = written
  const lie = withoutCitations(draft)
  const [fact] = document.facts
  const as = (variant: string, text: string): Placed => {
    return {
      document,
      group,
      isTrue: false,
      question,
      draft: text,
      sentences: [withoutFormulas(lie)],
      free: [],
      variant,
    }
  }
  const quotes = Array.from(draft.matchAll(/\{\{(?!#)([^}]*)\}\}/g), ([, quote]) => quote)
  if (quotes.length === 0) return [as(asWritten, draft), as(behind, `${fact?.claim}{{${fact?.quote}}} ${draft}`)]
  const cites = [fact?.quote, ...quotes].map((quote) => `{{${quote}}}`).join('')
  return [
    as(asWritten, draft),
    as('passage named only', `${lie} ${quotes.map((quote) => `[{{#${quote}}}]`).join('')}`),
    as(behind, `${fact?.claim} ${lie}${cites}`),
  ]
}

const asWritten = 'as written'
const behind = 'behind a true sentence'

function withoutCitations(draft: string): string {
  return draft.replace(/<cite[^>]*>[^<]*<\/cite>|\[?\{\{[^}]*\}\}\]?|\[P\d+\]/g, '').trim()
}

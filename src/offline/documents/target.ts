import { contentStems } from '../../library/index.ts'
import { calledIn, type NamedDocument, namesIn } from '../language/names.ts'
import type { ExtractiveParts, KnownDocument } from '../parts/parts.ts'
import { type DocumentQuestion, meansSeveral, withoutKind } from './document-question.ts'

/** Which documents a question about documents means. */
export interface Target {
  readonly documents: readonly KnownDocument[]
  /** One is meant, but several fit equally well. */
  readonly ask: boolean
}

/** The documents that a question may be about: all, unless it is limited to some. */
export async function documentsAmong(
  allowed: readonly string[] | null | undefined,
  { documents }: Pick<ExtractiveParts, 'documents'>,
): Promise<readonly KnownDocument[]> {
  const all = await documents()
  return allowed ? all.filter(({ documentId }) => allowed.includes(documentId)) : all
}

/**
 * Finds the documents that a question means: those that its words name by title, file name, author or year; where it
 * names none ("this paper"), the one that the conversation is about, or the only one. null if its words name something
 * else.
 */
export function findTarget(asked: DocumentQuestion, documents: readonly KnownDocument[]): Target | null {
  const { object, topic } = asked
  const several = asksAboutSeveral(asked)
  const named = namedBy(object, documents)
  if (named.length === 0 && contentStems(withoutKind(object)).length > 0) return null
  const fitting = named.length > 0 ? named : documents
  if (topic === null) return fitting.length > 0 ? decided(fitting, several) : null
  // "Who wrote the report (2023)?" after asking back names one of the reports.
  const chosen = namedBy(topic, fitting)
  if (chosen.length > 0) return decided(chosen, false)
  return named.length > 0 ? decided(named, several) : null
}

function asksAboutSeveral({ aspect, object }: DocumentQuestion): boolean {
  return aspect === 'inventory' || meansSeveral(object)
}

/** Those with a title first: they have more to say of themselves. */
function decided(found: readonly KnownDocument[], severalAreMeant: boolean): Target {
  const documents = [...found].sort((a, b) => Number(a.title === null) - Number(b.title === null))
  return { documents, ask: documents.length > 1 && !severalAreMeant }
}

/** Documents whose name holds all the words; of these, one that is called nothing else. */
function namedBy(words: string, documents: readonly KnownDocument[]): readonly KnownDocument[] {
  const [whole, distinct] = [contentStems(words), contentStems(withoutKind(words))]
  // "My documents" are all of them, whatever one of them is called.
  if (whole.length === 0 || contentStems(words.replace(ANY_KIND, ' ')).length === 0) return []
  const holding = (wanted: readonly string[], namesOf: (document: KnownDocument) => string) =>
    wanted.length === 0
      ? []
      : documents.filter((document) => {
          const called = new Set(contentStems(namesOf(document)))
          return wanted.every((word) => called.has(word))
        })
  // "the policy" is the one document called so; "the Megastore paper" is called Megastore alone.
  const named =
    [whole, distinct]
      .flatMap((wanted) => [holding(wanted, namesBeforeYear), holding(wanted, namesWithYear)])
      .find((found) => found.length > 0) ?? []
  const exact = named.filter(({ title }) => sameWords(contentStems(title ?? ''), whole))
  return exact.length > 0 ? exact : named
}

/** Words for any document, which name none. */
const ANY_KIND = /\b(?:paper|document|doc|file|pdf|text|source|publication|library|collection|folder)s?\b/giu

function sameWords(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word) => other.includes(word))
}

function namesWithYear(document: KnownDocument): string {
  return `${ownNames(document)} ${document.year ?? ''}`
}

/** The report on 2022 is published in 2023, and yet is not the one of 2023. */
function namesBeforeYear(document: KnownDocument): string {
  return YEAR.test(ownNames(document)) ? ownNames(document) : namesWithYear(document)
}

const YEAR = /(?<!\d)(?:19|20)\d\d(?!\d)/u

function ownNames(document: KnownDocument): string {
  return [calledIn(document), ...document.authors].join(' ')
}

/** Ids of the documents that are called by a name in a question which no other of them bears. */
export function documentsNamedIn(
  question: string,
  documents: readonly (NamedDocument & { readonly documentId: string })[],
): readonly string[] {
  const names = namesIn(question)
    .map(({ text }) => contentStems(text))
    .filter((name) => name.length > 0)
  const called = documents.map((document) => ({
    documentId: document.documentId,
    words: new Set(contentStems(calledIn(document))),
  }))
  const named = names.flatMap((name) => {
    const [only, other] = called.filter(({ words }) => name.every((word) => words.has(word)))
    return only && !other ? [only.documentId] : []
  })
  return [...new Set(named)]
}

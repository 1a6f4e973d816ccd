import { contentStems } from '../../library/index.ts'
import { calledIn, type NamedDocument, namesIn } from '../language/names.ts'

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

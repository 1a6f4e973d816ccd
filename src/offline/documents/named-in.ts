import { namesIn } from '../language/names.ts'

interface Named {
  readonly documentId: string
  readonly title: string | null
  readonly source: string
}

/** Ids of the documents that are called by a name in a question which no other of them bears. */
export function documentsNamedIn(
  question: string,
  documents: readonly Named[],
  contentStems: (text: string) => readonly string[],
): readonly string[] {
  const names = namesIn(question)
    .map(({ text }) => contentStems(text))
    .filter((name) => name.length > 0)
  const called = documents.map(({ documentId, title, source }) => {
    const file = (source.split(/[\\/]/).at(-1) ?? '').replace(/[_.-]+/g, ' ')
    return { documentId, words: new Set(contentStems(`${title ?? ''} ${file}`)) }
  })
  const named = names.flatMap((name) => {
    const [only, other] = called.filter(({ words }) => name.every((word) => words.has(word)))
    return only && !other ? [only.documentId] : []
  })
  return [...new Set(named)]
}

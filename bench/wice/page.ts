import type { Evidence } from '../../src/events/index.ts'

/** Characters of a passage, about as many as one of a library has. */
const LONGEST = 900

/** The sentences of a web page as passages `P1`, `P2`, …, each of whole sentences in their order, with the places of these. */
export function passagesOf(name: string, sentences: readonly string[]) {
  const passages: number[][] = []
  let length = 0
  for (const [at, sentence] of sentences.entries()) {
    if (length === 0 || length + sentence.length > LONGEST) {
      passages.push([])
      length = 0
    }
    passages.at(-1)?.push(at)
    length += sentence.length + 1
  }
  return passages.map((places, index) => ({
    places,
    evidence: evidenceOf(name, `P${index + 1}`, places.map((at) => sentences[at] ?? '').join('\n')),
  }))
}

function evidenceOf(name: string, id: string, text: string): Evidence {
  const shared = {
    documentId: name,
    title: null,
    source: `${name}.html`,
    year: null,
    page: 1,
    section: null,
    kind: 'text',
    origin: 'documents',
    text,
    score: 1,
  } as const
  const place = { passageId: `${name}.${id}`, authors: [], format: 'html' as const, start: 0, end: text.length }
  return { passage: { id, ...shared }, observation: { ...shared, ...place } }
}

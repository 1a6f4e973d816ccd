import { resolve } from 'node:path'
import { lettersOf } from '../language/characters.ts'
import type { CiteReport } from '../port/library.ts'
import type { PassageIndex } from '../port/passage-index.ts'
import { agreesWith } from '../readers/common/stated.ts'
import type { Reference } from './reference.ts'

type Match = Omit<CiteReport['entries'][number], 'key'> & { readonly entry: Reference }

interface Known {
  readonly documentId: string
  /** Paths, the only DOI of `head`, and the letters and digits of one to four lines of it. */
  readonly signs: ReadonlySet<string>
  /** Title, authors, and the beginning of the first page. */
  readonly head: string
}

/**
 * Which document each entry means: by its file, else by its DOI, else by its title, where the document has the first author
 * too. Nothing is guessed: what fits several documents, or a document that fits several, is ambiguous.
 */
export async function matchReferences(entries: readonly Reference[], index: PassageIndex): Promise<readonly Match[]> {
  const matches = entries.map((entry): Match => ({ entry, state: 'no document', by: null, documentIds: [] }))
  const bySign = signsOf(await knownDocuments(index))
  const taken = new Set<Known>()
  for (const by of ['file', 'doi', 'title'] as const) {
    const open = matches.filter((match) => match.by === null)
    const found = open.map((match) => ({
      match,
      meant: meantBy(match.entry, by, bySign).filter((each) => !taken.has(each)),
    }))
    const named = found.flatMap(({ meant }) => meant)
    const twice = new Set(named.filter((each, at) => named.indexOf(each) !== at))
    for (const { match, meant } of found.filter((each) => each.meant.length > 0)) {
      const isSure = meant.length === 1 && !meant.some((each) => twice.has(each))
      const documentIds = meant.map(({ documentId }) => documentId)
      Object.assign(match, { by, state: isSure ? 'matched' : 'ambiguous', documentIds })
    }
    for (const each of named) taken.add(each)
  }
  return matches
}

function signsOf(documents: readonly Known[]): ReadonlyMap<string, readonly Known[]> {
  const bySign = new Map<string, Known[]>()
  for (const each of documents) {
    for (const sign of each.signs) bySign.set(sign, [...(bySign.get(sign) ?? []), each])
  }
  return bySign
}

function meantBy(
  { files, stated }: Reference,
  by: 'file' | 'doi' | 'title',
  bySign: ReadonlyMap<string, readonly Known[]>,
): readonly Known[] {
  const { title = '', authors: [author = ''] = [], reference } = stated
  const wanted = { file: files, doi: doisIn(reference.DOI), title: [lettersOf(title)] }[by]
  const found = new Set(wanted.flatMap((sign) => bySign.get(sign) ?? []))
  const bears = ({ head }: Known) => by !== 'title' || author === '' || agreesWith(head, author.replace(/,.*/, ''), 1)
  return [...found].filter(bears)
}

async function knownDocuments(index: PassageIndex): Promise<readonly Known[]> {
  const sources = await index.sources()
  const all: Known[] = []
  for (const { documentId, title, authors } of await index.documents()) {
    const own = sources.filter((each) => each.documentId === documentId)
    const { header, text = '' } = (await index.page(documentId, 1)) ?? {}
    const head = [title, ...authors, header, text.slice(0, 4000)].join('\n')
    const lines = head.split('\n').map(lettersOf)
    const titles = lines.flatMap((_, at) => [1, 2, 3, 4].map((length) => lines.slice(at, at + length).join('')))
    const [doi = '', ...others] = new Set(doisIn(head))
    const files = own.flatMap(({ source, location = source }) => [resolve(source), location])
    const signs = [...files, ...titles, others.length === 0 ? doi : '']
    all.push({ documentId, head, signs: new Set(signs.filter(Boolean)) })
  }
  return all
}

function doisIn(text = ''): readonly string[] {
  return text.toLowerCase().match(/\b10\.\d{4,9}\/[^\s"<>]{0,200}[\p{L}\p{N}]/gu) ?? []
}

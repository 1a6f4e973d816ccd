import type { CiteReport } from '../port/library.ts'
import type { PassageIndex } from '../port/passage-index.ts'
import { matchReferences } from './match-references.ts'
import { readReferences } from './read-references.ts'

/** Gives documents their references. Throws `UsageError`. */
export async function cite(source: string, index: PassageIndex): Promise<CiteReport> {
  const matches = await matchReferences(await readReferences(source), index)
  const cited = new Set(matches.flatMap(({ state, documentIds }) => (state === 'matched' ? documentIds : [])))
  const others = (await index.documents()).filter(({ documentId }) => !cited.has(documentId))
  const taken = new Set(others.flatMap(({ reference }) => reference?.id.toLowerCase() ?? []))
  const entries: CiteReport['entries'][number][] = []
  for (const { entry, ...match } of matches) {
    const { reference } = entry.stated
    const [documentId] = match.state === 'matched' ? match.documentIds : []
    const key = documentId ? freeKey(reference.id, taken) : reference.id
    if (documentId) await index.override(documentId, { ...entry.stated, reference: { ...reference, id: key } })
    entries.push({ key, ...match })
  }
  return { entries, uncited: others.filter(({ reference }) => !reference).length }
}

/** The key, with a letter behind it where another document has it. */
function freeKey(key: string, taken: Set<string>): string {
  const keys = ['', ...'abcdefghijklmnopqrstuvwxyz'].map((letter) => key + letter)
  const free = keys.find((each) => !taken.has(each.toLowerCase())) ?? `${key}-${taken.size}`
  taken.add(free.toLowerCase())
  return free
}

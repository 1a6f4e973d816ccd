import { filings } from '../filings-library.ts'
import { fetchDocuments } from '../foreign/fetch.ts'
import { readMaterial } from '../foreign/material.ts'
import { MissingData } from '../question-sets.ts'
import { tatqa } from '../tatqa/contexts.ts'
import { trials } from '../trials/reports.ts'
import { type AskedSet, setOf } from './question-set.ts'

const sets: Readonly<Record<string, () => AskedSet | Promise<AskedSet>>> = {
  filings: () => setOf('filings', filings()),
  foreign: () => foreign(),
  tatqa: () => setOf('tatqa', tatqa()),
  trials: () => setOf('trials', trials()),
}

/** A set by its name, or from a folder in the form of `bench/foreign`. Throws `MissingData`. */
export async function setNamed(name: string, folder: string | null): Promise<AskedSet> {
  if (folder !== null) return foreign(folder)
  const find = sets[name]
  if (!find) throw new MissingData(`Name a set: ${Object.keys(sets).join(', ')}, or --set <folder>.`)
  return find()
}

/** The development half: the other is only counted. */
async function foreign(folder?: string): Promise<AskedSet> {
  const { documents, questions } = readMaterial(folder)
  const own = documents.filter(({ half }) => half === 'development')
  return {
    name: folder ?? 'foreign',
    documents: own,
    files: await fetchDocuments(own),
    questions: questions
      .filter(({ half }) => half === 'development')
      .map((each) => ({ ...each, wanted: each.answer ?? each.kind })),
  }
}

import { dirname, extname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { asError, UsageError } from '../../errors.ts'
import { readBytes } from '../ingestion/read-bytes.ts'
import { decodeText } from '../readers/common/decode-text.ts'
import { type Item, type Reference, referenceFrom } from './reference.ts'
import { textOfZotero } from './zotero.ts'

/** The entries of a file of BibTeX, RIS or CSL JSON, or of Zotero. Throws `UsageError`, with the place of what cannot be read. */
export async function readReferences(source: string): Promise<readonly Reference[]> {
  const isAddress = /^https?:/i.test(source)
  const pathOf = (file: string) => (file.startsWith('file:///') ? fileURLToPath(file) : resolve(dirname(source), file))
  try {
    const text = isAddress ? await textOfZotero(source) : decodeText(await readBytes(source))
    const items = await itemsIn(text, isAddress ? '.bib' : extname(source).toLowerCase())
    if (items.length === 0) throw new Error('it has no entries')
    return items.map(([item, files]) => referenceFrom(item, files.filter(Boolean).map(pathOf)))
  } catch (error) {
    const isDeep = error instanceof RangeError || error instanceof TypeError
    const [problem] = isDeep ? ['it is damaged, or nests too deep'] : asError(error).message.split(/:?\n/)
    throw new UsageError(`${source} cannot be read as references: ${problem}.`, { cause: error })
  }
}

/** Items of CSL, each with the files that are attached to it, as they are written there. */
async function itemsIn(text: string, ending: string): Promise<readonly (readonly [Item, readonly string[]])[]> {
  if (ending === '.bib') {
    const entries = await converted(text, '@biblatex/text', '@biblatex/entry+object')
    return entries.map(([item, { properties }]) => [item, attachedIn((properties as Item).file)])
  }
  if (ending === '.ris') {
    const entries = await converted(text, '@ris/file', '@ris/record')
    return entries.map(([item, { L1 = [], L2 = [], LK = [] }]) => [item, [L1, L2, LK].flat(2).map(String)])
  }
  const items: unknown = ending === '.json' ? JSON.parse(text) : null
  const isCsl = Array.isArray(items) && items.every((each) => typeof each?.type === 'string')
  if (!isCsl) throw new Error('it is no .bib (BibTeX), .ris, or .json with a list of items of CSL')
  return items.map((item) => [item, []])
}

/** Reads entries, and makes an item of CSL of each. */
async function converted(text: string, all: string, one: string): Promise<readonly (readonly [Item, Item])[]> {
  // Loaded when it is needed, since it takes time.
  const { plugins } = await import('@citation-js/core')
  await Promise.all([import('@citation-js/plugin-bibtex'), import('@citation-js/plugin-ris')])
  // The time that names take grows with the square of their length.
  const shortened = (_: string, value: unknown) => (typeof value === 'string' ? value.slice(0, 10_000) : value)
  const entries: readonly Item[] = JSON.parse(JSON.stringify(plugins.input.data(text, all), shortened))
  return entries.map((entry) => [[plugins.input.data(entry, one)].flat()[0] as Item, entry])
}

/** "Full Text:/home/ada/a.pdf:application/pdf;…", or paths alone. */
function attachedIn(field: unknown): readonly string[] {
  const files = `${field ?? ''}`.split(/(?<!\\);/).map((each) => each.split(/(?<!\\):/))
  return files.map((parts) => (parts.length > 2 ? `${parts.at(-2)}` : parts.join(':')).replace(/\\([:;\\])/g, '$1'))
}

import JSZip from 'jszip'
import { DocumentUnreadable } from '../../../errors.ts'
import type { ReadDocument } from '../../port/document.ts'
import { authorNames } from '../common/author-names.ts'
import { cleanLine } from '../common/clean-text.ts'
import { markupParser } from '../common/markup.ts'

type Attributes = Readonly<Record<string, string>>

/** What to do at each tag and text of an XML file. */
export interface XmlSteps {
  readonly open?: (name: string, attributes: Attributes) => void
  readonly text?: (text: string) => void
  readonly close?: (name: string) => void
}

/** Reads XML without its entities, which name nothing outside the text. */
export function walkXml(xml: string, { open, text, close }: XmlSteps): void {
  const parser = markupParser(
    { ...(open && { onopentag: open }), ...(text && { ontext: text }), ...(close && { onclosetag: close }) },
    { xmlMode: true },
  )
  parser.end(xml)
}

/**
 * Reads an archive of XML files; `use` is told what is in them. The limits of the reader's process bound what is unpacked.
 * Throws `DocumentUnreadable` (`malformed_file`, `over_budget`).
 */
export async function readArchive<T>(bytes: Uint8Array, kind: string, use: (file: JSZip) => Promise<T>): Promise<T> {
  try {
    return await use(await JSZip.loadAsync(bytes))
  } catch (cause) {
    if (cause instanceof DocumentUnreadable) throw cause
    throw new DocumentUnreadable('malformed_file', `It is damaged, or no ${kind}. Export it again`, { cause })
  }
}

/** The text of a file that the archive must hold. Throws if it does not. */
export async function textOf(file: JSZip, path: string): Promise<string> {
  const entry = file.file(path)
  if (!entry) throw new Error(`${path} is missing`)
  return entry.async('string')
}

/** The files that a part of an office document refers to, by the ids of these relations. */
export async function relationsOf(file: JSZip, part: string): Promise<ReadonlyMap<string, string>> {
  const slash = part.lastIndexOf('/') + 1
  const folder = part.slice(0, slash)
  const relations = new Map<string, string>()
  const xml = await file.file(`${folder}_rels/${part.slice(slash)}.rels`)?.async('string')
  walkXml(xml ?? '', {
    open: (name, { Id = '', Target = '' }) => {
      if (name === 'Relationship') relations.set(Id, pathFrom(folder, Target))
    },
  })
  return relations
}

/** A path within the archive: relative to a folder, or to the root if it begins with a slash. */
export function pathFrom(folder: string, target: string): string {
  return decodeURIComponent(new URL(target, `file:///${folder}`).pathname.slice(1))
}

/** Title and author of the file's properties. */
export async function officeProperties(file: JSZip): Promise<StatedProperties> {
  const part = file.file('docProps/core.xml') ?? file.file('meta.xml')
  const read = await elementsOf((await part?.async('string')) ?? '')
  return statedProperties(read.get('dc:title')?.[0], read.get('meta:initial-creator') ?? read.get('dc:creator'))
}

type StatedProperties = Pick<ReadDocument, 'title' | 'authors' | 'year'>

/** What properties state. Their date is when the file was saved, not when it was published. */
export function statedProperties(
  title = '',
  creators: readonly string[] = [],
  from = 'document properties',
): StatedProperties {
  const authors = creators.filter((name) => name !== '').flatMap(authorNames)
  return {
    title: title === '' ? null : { value: title, from },
    authors: authors.length > 0 ? { value: authors, from } : null,
    year: null,
  }
}

/** The texts of a file's elements, by their names. */
export function elementsOf(xml: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  let text = ''
  walkXml(xml, {
    open: () => {
      text = ''
    },
    text: (part) => {
      text += part
    },
    close: (name) => {
      const value = cleanLine(text)
      if (value !== '') found.set(name, [...(found.get(name) ?? []), value])
      text = ''
    },
  })
  return found
}

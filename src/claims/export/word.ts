import { Readable } from 'node:stream'
import { Document, FootnoteReferenceRun, HeadingLevel, Packer, Paragraph, TextRun } from 'docx'
import { Parser } from 'htmlparser2'
import JSZip from 'jszip'
import { UsageError } from '../../errors.ts'
import { type Carried, inAscii, parsed } from '../proof/carriers.ts'
import { proofOf, readProof } from '../proof/proof.ts'
import { inXml } from './markup.ts'
import type { Block, LaidOutReport, NotedSentence } from './report-layout.ts'

// A part of its own for data of other programs, as Office Open XML has them: Word keeps it when it saves the document.
const proofPart = 'customXml/item1.xml'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const root = { begin: '<proof xmlns="urn:quaero:proof">', end: '</proof>' }
/** Characters of all parts of a document that are read. */
const mostCharacters = 100_000_000

/** A document of Word: each note is a footnote, where it is named first. */
export async function wordOf(report: LaidOutReport, claims: Parameters<typeof proofOf>[0]): Promise<Uint8Array> {
  const file = await JSZip.loadAsync(await Packer.toBuffer(documentOf(report)))
  const proof = inAscii(proofOf(claims, await shownIn(file)))
  file.file(proofPart, `<?xml version="1.0" encoding="UTF-8"?>\n${root.begin}${proof}${root.end}`)
  const props = `<ds:datastoreItem ds:itemID="{5E0C2D56-3B7D-4B0E-9C55-7C7C6F1A2B90}" xmlns:ds="http://schemas.openxmlformats.org/officeDocument/2006/customXml"><ds:schemaRefs/></ds:datastoreItem>`
  file.file('customXml/itemProps1.xml', `<?xml version="1.0" encoding="UTF-8"?>\n${props}`)
  const ofProps = `<Relationship Id="rId1" Type="${relations}/customXmlProps" Target="itemProps1.xml"/>`
  file.file(
    'customXml/_rels/item1.xml.rels',
    `<?xml version="1.0" encoding="UTF-8"?>\n<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${ofProps}</Relationships>`,
  )
  const type = 'application/vnd.openxmlformats-officedocument.customXmlProperties+xml'
  const part = `<Relationship Id="quaeroProof" Type="${relations}/customXml" Target="../${proofPart}"/>`
  await append(file, '[Content_Types].xml', `<Override PartName="/customXml/itemProps1.xml" ContentType="${type}"/>`)
  await append(file, 'word/_rels/document.xml.rels', part)
  return file.generateAsync({ type: 'uint8array', compression: 'DEFLATE' })
}

/** What a document of Word shows, and its proof. Throws `UsageError`. */
export async function wordCarried(bytes: Uint8Array): Promise<Carried> {
  const file = await JSZip.loadAsync(bytes)
  for (const name of partsLike(file, /^customXml\/item\d+\.xml$/)) {
    const [, part] = (await textOf(file, name)).split(root.begin, 2)
    if (part !== undefined) {
      return { shown: await shownIn(file), proof: readProof(parsed(part.slice(0, part.lastIndexOf(root.end)))) }
    }
  }
  return { shown: '', proof: null }
}

function documentOf({ title: titled, blocks, notes }: LaidOutReport): Document {
  const title = inXml(titled)
  const told = new Set<number>()
  // A note that was told before is named by its number: all footnotes stand in the order of the notes.
  const marker = (each: number, index: number) => {
    const comma = index === 0 ? [] : [new TextRun({ text: ',', superScript: true })]
    const isTold = told.has(each)
    told.add(each)
    return [...comma, isTold ? new TextRun({ text: `${each}`, superScript: true }) : new FootnoteReferenceRun(each)]
  }
  const line = (sentences: readonly NotedSentence[]) =>
    sentences.flatMap(({ text, markers }, index) => [
      new TextRun(inXml(index === 0 ? text : ` ${text}`)),
      ...markers.flatMap(marker),
    ])
  const block = (each: Block) => {
    if (each.kind === 'heading') return [new Paragraph({ text: inXml(each.text), heading: HeadingLevel.HEADING_1 })]
    if (each.kind === 'paragraph') return [new Paragraph({ children: line(each.sentences), spacing: { after: 160 } })]
    return each.items.map((item) => new Paragraph({ children: line(item), bullet: { level: 0 } }))
  }
  const footnotes = notes.map(
    ({ text }, index) => [`${index + 1}`, { children: [new Paragraph(inXml(` ${text}`))] }] as const,
  )
  return new Document({
    title,
    creator: 'Quaero',
    lastModifiedBy: 'Quaero',
    footnotes: Object.fromEntries(footnotes),
    sections: [{ children: [new Paragraph({ text: title, heading: HeadingLevel.TITLE }), ...blocks.flatMap(block)] }],
  })
}

/** Adds an element to the root of a part. */
async function append(file: JSZip, name: string, element: string): Promise<void> {
  const xml = await textOf(file, name)
  const end = xml.lastIndexOf('</')
  file.file(name, `${xml.slice(0, end)}${element}${xml.slice(end)}`)
}

/**
 * The texts of a document: its body, its footnotes in the order in which the body names them, then headers, comments and the
 * like. Word parts and numbers them anew when it saves, and leaves the texts as they are.
 */
async function shownIn(file: JSZip): Promise<string> {
  const body = readPart(await textOf(file, 'word/document.xml'))
  const notes = readPart(await textOf(file, 'word/footnotes.xml')).notes
  const others: string[] = []
  for (const name of partsLike(file, /^word\/(?:header|footer|endnotes|comments)\d*\.xml$/)) {
    others.push(readPart(await textOf(file, name)).text)
  }
  const texts = [body.text, ...body.references.map((id) => notes.get(id) ?? ''), ...others.sort()]
  return texts.join(' ').replace(/\s+/g, ' ').trim()
}

function partsLike(file: JSZip, pattern: RegExp): readonly string[] {
  return Object.keys(file.files).filter((name) => pattern.test(name))
}

/** The text of a part of the archive; empty if it has none. Throws `UsageError` for one that is no text of a person. */
async function textOf(file: JSZip, name: string): Promise<string> {
  const pieces: string[] = []
  let length = 0
  const entry = file.file(name)
  // In pieces, so that one that would fill the memory is not unpacked; wrapped, since JSZip's own stream is an old one.
  const stream = entry ? new Readable().wrap(entry.nodeStream()).setEncoding('utf8') : []
  for await (const text of stream) {
    length += text.length
    if (length > mostCharacters) throw new UsageError(`${name} of the document is too large.`)
    pieces.push(text)
  }
  return pieces.join('')
}

interface ReadPart {
  readonly text: string
  /** The texts of footnotes, by their ids. */
  readonly notes: ReadonlyMap<string, string>
  /** The ids of footnotes in the order in which the text names them. */
  readonly references: readonly string[]
}

function readPart(xml: string): ReadPart {
  const texts = new Map([['', '']])
  const references: string[] = []
  let note = ''
  let isText = false
  const add = (text: string) => texts.set(note, `${texts.get(note) ?? ''}${text}`)
  const parser = new Parser(
    {
      onopentag(name, { 'w:id': id = '' }) {
        if (name === 'w:footnote') note = id
        if (name === 'w:t') isText = true
        if (name === 'w:tab' || name === 'w:br') add(' ')
        if (name === 'w:footnoteReference') add(`[${references.push(id)}]`)
      },
      ontext: (text) => void (isText && add(text)),
      onclosetag(name) {
        if (name === 'w:footnote') note = ''
        if (name === 'w:t') isText = false
        if (name === 'w:p') add(' ')
      },
    },
    { xmlMode: true },
  )
  parser.end(xml)
  return { text: texts.get('') ?? '', notes: texts, references }
}

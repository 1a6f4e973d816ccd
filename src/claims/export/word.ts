import { Document, FootnoteReferenceRun, HeadingLevel, Packer, Paragraph, TextRun } from 'docx'
import type { ProvenClaim } from '../cards/claim.ts'
import { withProof } from './archive.ts'
import { inXml } from './markup.ts'
import type { Block, LaidOutReport, NotedSentence } from './report-layout.ts'

/** A document of Word: each note is a footnote, where it is named first. */
export async function wordOf(report: LaidOutReport, claims: readonly ProvenClaim[]): Promise<Uint8Array> {
  return withProof(await Packer.toBuffer(documentOf(report)), 'word/_rels/document.xml.rels', claims)
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
    ({ text, cited }, index) =>
      [`${index + 1}`, { children: [new Paragraph(inXml(` ${cited ? `${cited.key} — ` : ''}${text}`))] }] as const,
  )
  return new Document({
    title,
    creator: 'Quaero',
    lastModifiedBy: 'Quaero',
    footnotes: Object.fromEntries(footnotes),
    sections: [{ children: [new Paragraph({ text: title, heading: HeadingLevel.TITLE }), ...blocks.flatMap(block)] }],
  })
}

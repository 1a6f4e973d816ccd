import { basename, extname } from 'node:path'
import { UsageError } from '../../errors.ts'
import { type DocumentRecord, pageName } from '../../library/index.ts'
import { jsonWith, textWith } from '../proof/carriers.ts'
import type { Report } from '../report/report.ts'
import { latexOf } from './latex.ts'
import { atLineStart, inHtml, inMarkdown } from './markup.ts'
import { bibtexOf, cslOf, type Reference, referencesOf } from './references.ts'
import { type Block, claimsOfReport, layOut, type Note, type NotedSentence, quotesOfReport } from './report-layout.ts'

/** Forms that a report is written in: the ending of the file names it. All carry their proof. */
export const reportFormats = ['md', 'html', 'docx', 'tex', 'json'] as const
export type ReportFormat = (typeof reportFormats)[number]

/** The form that a file's ending names. Throws `UsageError`. */
export function reportFormatOf(file: string): ReportFormat {
  const ending = extname(file).slice(1).toLowerCase()
  const format = reportFormats.find((each) => each === ending)
  if (format) return format
  throw new UsageError(
    `A report is written as ${reportFormats.map((each) => `.${each}`).join(', ')}, not as "${file}".`,
  )
}

/**
 * A report as a file. `documents` are those of the library: what is known of a cited one stands in the references. LaTeX names
 * its file of references, without ".bib", by `bibliography`.
 */
export async function reportFile(
  report: Report,
  format: ReportFormat,
  {
    documents = [],
    bibliography = 'references',
  }: { documents?: readonly DocumentRecord[]; bibliography?: string } = {},
): Promise<string | Uint8Array> {
  const claims = claimsOfReport(report)
  if (format === 'json') return jsonWith(report, claims)
  if (format === 'md') return textWith('md', reportInMarkdown(report, documents), claims)
  if (format === 'html') return textWith('html', toHtml(report), claims)
  if (format === 'tex') {
    return textWith(
      'tex',
      latexOf(layOut(report), referencesOf(quotesOfReport(report), documents), bibliography),
      claims,
    )
  }
  // Loaded when it is needed, since it takes time.
  return (await import('./word.ts')).wordOf(layOut(report, documents), claims)
}

/** What the references beside a source of LaTeX are called there, without ".bib": no space, and nothing that it reads as a command. */
export function bibliographyOf(file: string): string {
  return basename(file, extname(file)).replace(/[^\p{L}\p{N}.-]+/gu, '-')
}

/** The documents that a report quotes, as BibTeX or as CSL JSON. */
export function referencesFile(report: Report, file: string, documents: readonly DocumentRecord[]): string {
  return referencesWriter(file)(referencesOf(quotesOfReport(report), documents))
}

/** Throws `UsageError` for another ending than ".bib" and ".json". */
export function referencesWriter(file: string): (references: readonly Reference[]) => string {
  const ending = extname(file).toLowerCase()
  if (ending === '.bib') return bibtexOf
  if (ending === '.json') return cslOf
  throw new UsageError(`References are written as .bib (BibTeX) or .json (CSL), not as "${file}".`)
}

/** A report as Markdown, without its proof; its notes cite documents with references as Pandoc reads it: "[@doe2021, p. 3]". */
export function reportInMarkdown(report: Report, documents: readonly DocumentRecord[] = []): string {
  const { title, blocks, notes } = layOut(report, documents)
  const sentence = ({ text, markers }: NotedSentence) =>
    `${inMarkdown(text)}${markers.map((each) => `[^${each}]`).join('')}`
  const line = (sentences: readonly NotedSentence[]) => atLineStart(sentences.map(sentence).join(' '))
  const block = (each: Block) => {
    if (each.kind === 'heading') return `## ${inMarkdown(each.text)}`
    if (each.kind === 'paragraph') return line(each.sentences)
    return each.items.map((item) => `- ${line(item)}`).join('\n')
  }
  const citation = ({ cited }: Note) => (cited ? `[@${cited.key}, ${pageName(cited.page)}] ` : '')
  const listed = notes.map((note, at) => `[^${at + 1}]: ${citation(note)}${atLineStart(inMarkdown(note.text))}`)
  return `${[`# ${inMarkdown(title)}`, ...blocks.map(block), listed.join('\n')].join('\n\n').trimEnd()}\n`
}

function toHtml(report: Report): string {
  const { title, blocks, notes } = layOut(report)
  const marker = (each: number) =>
    `<sup><a href="#n${each}" title="${inHtml(notes[each - 1]?.text ?? '')}">${each}</a></sup>`
  const line = (sentences: readonly NotedSentence[]) =>
    sentences.map(({ text, markers }) => `${inHtml(text)}${markers.map(marker).join(' ')}`).join(' ')
  const block = (each: Block) => {
    if (each.kind === 'heading') return `<h2>${inHtml(each.text)}</h2>`
    if (each.kind === 'paragraph') return `<p>${line(each.sentences)}</p>`
    return `<ul>\n${each.items.map((item) => `<li>${line(item)}</li>`).join('\n')}\n</ul>`
  }
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<title>${inHtml(title)}</title>
<style>
body { font: 16px/1.6 system-ui, sans-serif; margin: 2rem auto; max-width: 46rem; padding: 0 1rem; }
sup { line-height: 0; }
ol { font-size: .85em; overflow-wrap: anywhere; }
li { margin: .3rem 0; }
</style>
</head>
<body>
<h1>${inHtml(title)}</h1>
${blocks.map(block).join('\n')}
<hr>
<ol>
${notes.map(({ text }, index) => `<li id="n${index + 1}">${inHtml(text)}</li>`).join('\n')}
</ol>
</body>
</html>
`
}

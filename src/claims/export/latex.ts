import { inLatex } from './markup.ts'
import { type Reference, referenceKey } from './references.ts'
import type { Block, LaidOutReport, NotedSentence } from './report-layout.ts'

/** A report as a source of LaTeX, with a footnote for each quote and its document in the bibliography, a name of `bibliographyOf`. */
export function latexOf(
  { title, blocks, notes }: LaidOutReport,
  references: readonly Reference[],
  bibliography: string,
): string {
  const keys = new Map(references.map((each) => [each.documentId, referenceKey(each)]))
  const told = new Set<number>()
  // A note that was told before is named by its number: all footnotes stand in the order of the notes.
  const footnote = (marker: number) => {
    const note = notes[marker - 1]
    if (!note || told.has(marker)) return `\\footnotemark[${marker}]`
    told.add(marker)
    const key = note.documentId === null ? undefined : keys.get(note.documentId)
    return `\\footnote{${key === undefined ? '' : `\\cite{${key}} `}${inLatex(note.text)}}`
  }
  // The braces keep a text in brackets from being the option of what stands before it.
  const line = (sentences: readonly NotedSentence[]) =>
    sentences
      .map(({ text, markers }) => `{}${inLatex(text)}${markers.map(footnote).join('\\textsuperscript{,}')}`)
      .join('\n')
  const block = (each: Block) => {
    if (each.kind === 'heading') return `\\section{${inLatex(each.text)}}`
    if (each.kind === 'paragraph') return line(each.sentences)
    return `\\begin{itemize}\n${each.items.map((item) => `\\item ${line(item)}`).join('\n')}\n\\end{itemize}`
  }
  return `\\documentclass{article}
\\usepackage{iftex}
\\ifPDFTeX
\\usepackage[T1]{fontenc}
\\usepackage[utf8]{inputenc}
\\else
\\usepackage{fontspec}
\\fi
\\title{${inLatex(title)}}
\\author{}
\\date{}
\\begin{document}
\\maketitle

${blocks.map(block).join('\n\n')}

\\bibliographystyle{plain}
\\bibliography{${bibliography}}
\\end{document}
`
}

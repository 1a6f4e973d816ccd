import { sentences, withoutEmphasis } from '../../library/index.ts'

/** A sentence of a text that others wrote, and why nothing in it can be checked; null if it states something. */
export interface Statement {
  readonly text: string
  readonly unchecked: 'a heading' | 'a question' | 'a reference' | 'no statement' | null
}

/** Splits a text into sentences. Markdown's marks are left out, and the lines of a paragraph belong together. */
export function statementsIn(text: string): readonly Statement[] {
  let isInReferences = false
  // A heading ends with its line, whether or not an empty one follows.
  return text
    .replace(/^#{1,6}\s.*$/gm, '$&\n')
    .split(/\n\s*\n|\n(?=\s*(?:#{1,6}\s|[-*+]\s|\d{1,3}[.)]\s|\||\[\^?\w+\]:))/)
    .flatMap((block) => {
      const heading = headingIn(block)
      if (heading !== null) {
        isInReferences = referenceHeadings.test(heading)
        return [{ text: heading, unchecked: 'a heading' as const }]
      }
      const isReference = isInReferences || /^\s*\[\^?\w+\]:/.test(block)
      return sentencesOf(block).map((each) => ({
        text: each,
        unchecked: isReference ? 'a reference' : whyUnchecked(each),
      }))
    })
}

const referenceHeadings =
  /^(?:references|bibliography|sources|works cited|literature|literatur|quellen|références|referencias)\b/iu
const listMark = /^\s*(?:[-*+]|\d{1,3}[.)])\s+/

/** A line with Markdown's mark, or a few words alone that end without a stop. */
function headingIn(block: string): string | null {
  const marked = /^#{1,6}\s(.+)$/.exec(block.trim())?.[1]
  if (marked) return plain(marked)
  const line = block.trim()
  const isTitle = !line.includes('\n') && !listMark.test(line) && !/[.!?:;…。|\d]["”»)]?$/u.test(line)
  return isTitle && line !== '' && wordsIn(line) <= mostWordsOfTitle ? plain(line) : null
}

const mostWordsOfTitle = 10
const fewestWords = 3

function sentencesOf(block: string): readonly string[] {
  const paragraph = plain(block.replace(listMark, '').replace(/^> ?/gm, ''))
  return sentences(paragraph).flatMap(({ start, end }) => paragraph.slice(start, end).trim() || [])
}

/** Without emphasis, footnotes and the addresses of links; in one line. */
function plain(text: string): string {
  const withoutLinks = text.replace(/!?\[([^[\]\n]*)\]\([^()\n]*\)/g, '$1').replace(/\s?\[\^?\d{1,3}\](?!:)/g, '')
  return withoutEmphasis(withoutLinks).replace(/\s+/g, ' ').trim()
}

function whyUnchecked(sentence: string): Statement['unchecked'] {
  if (/[?？]["”»)]?$/u.test(sentence)) return 'a question'
  return wordsIn(sentence) < fewestWords ? 'no statement' : null
}

function wordsIn(text: string): number {
  return text.match(/[\p{L}\p{N}][\p{L}\p{N}'’.,-]*/gu)?.length ?? 0
}

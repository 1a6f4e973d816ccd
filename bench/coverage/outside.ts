import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { ReadDocument } from '../../src/library/port/document.ts'

const run = promisify(execFile)

/** Parts of an office file that hold text which a person sees. */
const textParts: Readonly<Record<string, readonly string[]>> = {
  docx: ['word/document.xml', 'word/footnotes.xml', 'word/endnotes.xml', 'word/comments.xml'],
  pptx: ['ppt/slides/slide*.xml', 'ppt/diagrams/data*.xml', 'ppt/charts/chart*.xml'],
  xlsx: ['xl/sharedStrings.xml'],
}

/** The words that another reader finds in a file and this one does not, with repeats; null where there is no other. */
export async function wordsMissing(
  file: string,
  document: ReadDocument,
): Promise<{ readonly of: number; readonly words: readonly string[] } | null> {
  const text = await outsideText(file, document.format)
  if (text === null) return null
  const own = letters(document.pages.map(({ text, header }) => `${text}\n${header ?? ''}`).join('\n'))
  const counts = new Map<string, number>()
  for (const word of wordsOf(own)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const joined = own.replace(/[^\p{L}\p{N}]+/gu, '')
  const outside = wordsOf(letters(text))
  const words = outside.filter((word) => {
    const left = counts.get(word) ?? 0
    counts.set(word, left - 1)
    // Hyphens at the ends of lines, and words that stand without a space.
    return left <= 0 && !(word.length > 3 ? joined.includes(word) : false)
  })
  return { of: outside.length, words }
}

async function outsideText(file: string, format: ReadDocument['format']): Promise<string | null> {
  const options = { maxBuffer: 2 ** 28 }
  if (format === 'pdf') {
    const passwords = file.includes('password') ? ['-upw', 'openpassword'] : []
    return (await run('pdftotext', [...passwords, file, '-'], options)).stdout
  }
  const parts = textParts[format]
  if (!parts) return null
  const xml = await run('unzip', ['-p', file, ...parts], options).then(
    ({ stdout }) => stdout,
    (error) => String(error.stdout ?? ''),
  )
  return xml
    .replace(/<\/(?:a:p|w:p|si|a:tc|w:tc|c:v|c:pt)>|<(?:w:tab|w:br|a:br)[^<>]*>/gu, ' ')
    .replace(/<[^<>]*>/gu, '')
    .replace(/&lt;/gu, '<')
    .replace(/&gt;/gu, '>')
    .replace(/&quot;/gu, '"')
    .replace(/&apos;/gu, "'")
    .replace(/&amp;/gu, '&')
}

function letters(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? []
}

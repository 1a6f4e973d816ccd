import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { ForeignDocument, ForeignQuestion } from './material.ts'

const run = promisify(execFile)

/**
 * Whether each quote stands on its page and each question is of the half of its documents and of the question before it. Texts come from `pdftotext`
 * and `unzip`, not from the program's own readers. White space does not count.
 */
export async function checkQuotes(
  questions: readonly ForeignQuestion[],
  documents: readonly ForeignDocument[],
  files: ReadonlyMap<string, string>,
): Promise<void> {
  const halves = new Map([...documents, ...questions].map(({ id, half }) => [id, half]))
  const problems = questions
    .filter((question) =>
      [...question.documents, question.after ?? question.id].some((id) => halves.get(id) !== question.half),
    )
    .map(({ id }) => `${id}: not of the half of its documents, or of the question before it`)
  for (const document of documents) {
    const quoted = questions.filter(({ documents, quote }) => quote !== undefined && documents[0] === document.id)
    const readings = await readingsOf(files.get(document.id) ?? '', document.format)
    for (const question of quoted) {
      const stands = readings.some((pages) => standsIn(pages, question))
      if (!stands) problems.push(`${question.id}: not on page ${question.page ?? 1}: ${question.quote}`)
    }
  }
  for (const problem of problems) console.log(problem)
  console.log(`${questions.length} questions, ${problems.length} problems`)
  if (problems.length > 0) process.exitCode = 1
}

function standsIn(pages: readonly string[], { page = 1, quote = '' }: ForeignQuestion): boolean {
  return pages[page - 1]?.includes(squeezed(quote)) === true
}

/** The pages of a file, in each way that its text may be read: in the order of the text, and line by line. */
async function readingsOf(file: string, format: string): Promise<readonly (readonly string[])[]> {
  if (format === 'pdf') {
    const texts = await Promise.all([textOf('pdftotext', [file, '-']), textOf('pdftotext', ['-layout', file, '-'])])
    return texts.map((text) => text.split('\f').map(squeezed))
  }
  if (format === 'docx') return [[squeezed(withoutTags(await textOf('unzip', ['-p', file, 'word/document.xml'])))]]
  const text = await readFile(file, 'utf8')
  return [[squeezed(format === 'html' ? withoutTags(text) : text)]]
}

async function textOf(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(command, [...args], { maxBuffer: 2 ** 28 })
  return stdout
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
  rsquo: '’',
  lsquo: '‘',
  ldquo: '“',
  rdquo: '”',
  ndash: '–',
  mdash: '—',
}

function withoutTags(text: string): string {
  return text
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replaceAll(/&([a-z]+);/g, (entity, name) => ENTITIES[name] ?? entity)
}

function squeezed(text: string): string {
  return text.normalize('NFKC').replaceAll(/[\s\u00ad]+/g, '')
}

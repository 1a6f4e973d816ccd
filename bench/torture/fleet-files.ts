/** Files that are handed to the workers of a fleet while these are in trouble; then what became of each. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Quaero } from '../../src/index.ts'

export interface AddedFiles {
  readonly count: number
  /** Files that are not in the library as one document, complete and from one source. */
  readonly wrong: readonly string[]
  /** How often a file was given up, so that it had to be added again. */
  readonly givenUp: number
}

/** Adds all files at once; one that is given up is added again, as its message says. `isOver`: the trouble is. */
export async function addFiles(quaero: Quaero, count: number, isOver: AbortSignal): Promise<AddedFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'quaero-files-'))
  try {
    const paths = Array.from({ length: count }, (_, number) => join(folder, `${number}.md`))
    const added = await Promise.all(paths.map((path) => addOne(quaero, path, isOver)))
    const wrong = await Promise.all(paths.map((path) => problemOf(quaero, path)))
    return {
      count,
      wrong: wrong.flatMap((problem) => problem ?? []),
      givenUp: added.reduce((sum, each) => sum + each, 0),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const paragraphs = 1000
/** A file that is given up so often when the trouble is over is reported as lost. */
const mostCalmTries = 3

/** Returns how often the file was given up. */
async function addOne(quaero: Quaero, path: string, isOver: AbortSignal): Promise<number> {
  const text = (at: number) => `Paragraph ${at} of the note ${path} says that it is the ${at}th of them.\n\n`
  await writeFile(path, Array.from({ length: paragraphs }, (_, at) => text(at)).join(''))
  for (let [givenUp, calmTries] = [0, 0]; ; givenUp += 1) {
    if (isOver.aborted) calmTries += 1
    // A storage that is away for long is one more reason to try again.
    const report = await quaero.queue?.addFile(path).catch(() => null)
    if (report?.totals.failed === 0 || calmTries === mostCalmTries) return givenUp
  }
}

async function problemOf({ library }: Quaero, path: string): Promise<string | null> {
  const found = (await library.list()).filter(({ source }) => source === path)
  const [document] = found
  if (!document || found.length > 1) return `${path}: ${found.length} documents`
  const { sources } = await library.show(document.documentId)
  if (sources.length !== 1) return `${path}: ${sources.length} sources`
  const { text } = await library.text(document.documentId, 1)
  return text.includes(`Paragraph ${paragraphs - 1} `) && document.passages > 0 ? null : `${path}: not whole`
}

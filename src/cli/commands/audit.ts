import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { Argument, Option } from 'commander'
import { noteOf } from '../../claims/table/table-text.ts'
import { PathNotFound, UsageError } from '../../errors.ts'
import type { Audit, AuditedSentence, Quaero } from '../../index.ts'
import { given, type Workplace } from '../command/command.ts'
import {
  type FilterFlags,
  filterOf,
  filterOptions,
  limitOptions,
  modelOption,
  quietOption,
  wholeNumber,
} from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { plainLine } from '../output/plain-text.ts'
import { startFileProgress } from '../output/progress.ts'
import { pluralOf } from '../output/table.ts'
import { print } from '../output/terminal.ts'
import { addDocuments } from '../shared/add-documents.ts'
import { engineCommand } from '../shared/engine-command.ts'
import { limitsOf, type RunFlags, tellFilter } from '../shared/run-to-end.ts'

interface AuditFlags extends RunFlags, FilterFlags {
  readonly file: string
  readonly documents?: readonly string[] | undefined
  readonly atOnce?: number | undefined
  readonly afresh?: boolean | undefined
}

/** Exits with 1 if a sentence is not supported. */
export const audit = engineCommand<AuditFlags, Audit>({
  name: 'audit',
  description:
    'read a text that others wrote over your documents, sentence by sentence\n' +
    'pay for nothing twice: a text that was read before is read from the log\n' +
    'exit with 1 if a sentence is not supported',
  arguments: [new Argument('<file>', 'a text of any kind that "quaero add" reads')],
  options: [
    new Option('-d, --documents <path...>', 'files or folders to add and search; all documents, if absent'),
    ...filterOptions(),
    new Option('--at-once <n>', 'how many calls are made side by side (default: 4)').argParser(wholeNumber),
    new Option('--afresh', 'read again what was read before, too'),
    modelOption(),
    ...limitOptions('each call'),
    quietOption(),
  ],
  examples: ['audit report.md -d ./papers', 'audit report.docx -d ./papers --json'],
  async act(quaero, flags, { input: { signal }, output, config }) {
    const { file, documents, quiet, atOnce, afresh } = flags
    tellFilter(flags, output)
    const text = await textOf(file, config)
    const added = documents && (await addDocuments(quaero, documents, output, { quiet, signal }))
    const documentIds = added?.documents.flatMap(({ documentId }) => documentId ?? [])
    const progress = await startFileProgress(output, quiet)
    const onProgress = (done: { readonly done: number; readonly total: number }) =>
      progress.update({ ...done, path: 'sentences read' })
    try {
      const how = {
        signal,
        limits: limitsOf(flags),
        onProgress,
        ...filterOf(flags),
        ...given({ documentIds, atOnce, afresh }),
      }
      return await quaero.audit({ text, ...how })
    } finally {
      progress.stop()
    }
  },
  json: (found) => found,
  show: (found, { output }) => print(output, [...found.sentences.flatMap(describe), summaryOf(found)].join('\n\n')),
  exitCode: ({ counts }) => (counts.notSupported > 0 ? exitCodes.failed : exitCodes.ok),
})

const plainEndings = new Set(['.md', '.markdown', '.txt', ''])

/** The text of a file; of another than plain text as the library reads it, in memory. */
async function textOf(file: string, config: Workplace['config']): Promise<string> {
  if (plainEndings.has(extname(file).toLowerCase())) {
    return readFile(file, 'utf8').catch(() => {
      throw new PathNotFound(`There is no file "${file}".`)
    })
  }
  // Loaded here, since other commands begin without it.
  const { createQuaero } = await import('../../index.ts')
  const reader = await createQuaero({ dataDir: ':memory:', model: 'extractive', config: config() })
  try {
    const { documents } = await reader.library.add([file])
    const [{ documentId, pages, error } = { documentId: null, pages: 0, error: null }] = documents
    if (documentId === null) throw new UsageError(`${file} could not be read${error ? `: ${error.message}` : ''}.`)
    return (await pagesOf(reader, documentId, pages)).join('\n\n')
  } finally {
    await reader.close()
  }
}

async function pagesOf({ library }: Quaero, documentId: string, pages: number): Promise<readonly string[]> {
  const numbers = Array.from({ length: pages }, (_, index) => index + 1)
  return Promise.all(numbers.map(async (page) => (await library.text(documentId, page)).text))
}

function describe({ text, state, reason, quotes }: AuditedSentence): readonly string[] {
  if (state === 'not checkable') return []
  const head = `${state}: ${plainLine(text)}${reason ? ` (${plainLine(reason)})` : ''}`
  return [[head, ...quotes.map((quote) => `  ${plainLine(noteOf(quote))}`)].join('\n')]
}

function summaryOf({ counts, score }: Audit): string {
  const { supported, notSupported, notRead, notCheckable } = counts
  const read = pluralOf(supported + notSupported, 'sentence')
  const share =
    score === null ? 'No sentence was read' : `${supported} of ${read} supported (${Math.round(100 * score)} %)`
  return `${share}; ${notRead} not read, ${notCheckable} not checkable.`
}

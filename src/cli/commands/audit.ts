import { extname } from 'node:path'
import { Argument } from 'commander'
import { noteOf } from '../../claims/table/table-text.ts'
import { UsageError } from '../../errors.ts'
import type { Audit, AuditedSentence, Quaero } from '../../index.ts'
import type { Workplace } from '../command/command.ts'
import { quietOption } from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { plainLine } from '../output/plain-text.ts'
import { startFileProgress } from '../output/progress.ts'
import { pluralOf } from '../output/table.ts'
import { type Input, print } from '../output/terminal.ts'
import { type AskedFlags, askedOf, askedOptions } from '../shared/asked-documents.ts'
import { engineCommand } from '../shared/engine-command.ts'
import { readNamedText } from '../shared/files.ts'
import { tellLimit } from '../shared/run-to-end.ts'

interface AuditFlags extends AskedFlags {
  readonly file: string
}

/** Exits with 1 if a sentence is not supported, or nobody has read it. */
export const audit = engineCommand<AuditFlags, Audit>({
  name: 'audit',
  description:
    'read a text that others wrote over your documents, sentence by sentence\n' +
    'pay for nothing twice: a text that was read before is read from the log\n' +
    'exit with 1 if a sentence is not supported, or was read by nobody',
  arguments: [new Argument('<file>', 'a text of any kind that "quaero add" reads')],
  options: [...askedOptions({ parts: 'calls', done: 'read', each: 'each call' }), quietOption()],
  examples: ['audit report.md -d ./papers', 'audit report.docx -d ./papers --json'],
  async act(quaero, flags, { input, output, config }) {
    const text = await textOf(flags.file, input, config)
    const asked = await askedOf(quaero, input, output, flags)
    const progress = await startFileProgress(output, flags.quiet)
    const onProgress = (done: { readonly done: number; readonly total: number }) =>
      progress.update({ ...done, path: 'sentences read' })
    try {
      return await quaero.audit({ text, ...asked, onProgress })
    } finally {
      progress.stop()
    }
  },
  json: (found) => found,
  show(found, { output }, flags) {
    tellLimit(found, output, flags)
    print(output, [...found.sentences.flatMap(describe), summaryOf(found)].join('\n\n'))
  },
  exitCode: ({ counts }) => (counts.notSupported + counts.notRead > 0 ? exitCodes.failed : exitCodes.ok),
})

const plainEndings = new Set(['.md', '.markdown', '.txt', ''])

/** The text of a file; of another than plain text as the library reads it, in memory. */
async function textOf(file: string, input: Input, config: Workplace['config']): Promise<string> {
  if (plainEndings.has(extname(file).toLowerCase())) return readNamedText(file, input)
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
  const all = pluralOf(supported + notSupported + notRead, 'sentence')
  const share = score === null ? '' : ` (${Math.round(100 * score)} %)`
  const unread = notRead > 0 ? `${notRead} not read by anybody` : '0 not read'
  return `${supported} of ${all} supported${share}; ${unread}, ${notCheckable} not checkable.`
}

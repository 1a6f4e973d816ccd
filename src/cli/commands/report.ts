import { existsSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { Argument, Option } from 'commander'
import type { Outline, Quaero, Report, ReportStep, ReportWork } from '../../index.ts'
import { type CommandModule, given } from '../command/command.ts'
import { jsonOption, quietOption } from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { startFileProgress } from '../output/progress.ts'
import { pluralOf } from '../output/table.ts'
import { type Input, type Output, print, printJson, tell } from '../output/terminal.ts'
import { type AskedFlags, askedOf, askedOptions } from '../shared/asked-documents.ts'
import { readNamedText, requireWritable, writeNamed } from '../shared/files.ts'
import { tellLimit } from '../shared/run-to-end.ts'

interface ReportFlags extends AskedFlags {
  readonly question: string
  readonly output?: string | undefined
  readonly outline?: string | undefined
  readonly references?: string | undefined
  readonly dryRun?: boolean | undefined
  readonly approve?: 'all' | 'none' | undefined
}

export const report: CommandModule<ReportFlags> = {
  name: 'report',
  description:
    'write a report over all documents: sections in which every sentence has its quotes as footnotes\n' +
    'ask and write only what is missing when it is called again: what was stopped, what was edited in the outline\n' +
    'without a language model: a digest of sentences of the documents',
  arguments: [new Argument('<question>', 'what the report is to answer')],
  isQuotedText: true,
  options: [
    ...askedOptions({ parts: 'questions or sections', done: 'ask and write', each: 'each question and each section' }),
    new Option('-o, --output <file>', 'where to write the report: .md, .html, .docx, .tex or .json'),
    new Option(
      '--outline <file>',
      'sections and questions in Markdown; if there is no such file, the planned outline is written there, to be edited',
    ),
    new Option('--references <file>', 'where to write the documents that are quoted: .bib (BibTeX) or .json (CSL)'),
    new Option('--dry-run', 'print the outline, and ask none of its questions'),
    new Option('--approve <mode>', 'answers for tools that need an approval').choices(['all', 'none']),
    jsonOption(),
    quietOption(),
  ],
  examples: [
    'report "How do the filters compare?" -d ./papers -o report.docx',
    'report "How do the filters compare?" --outline outline.md',
    'report "How do the filters compare?" --dry-run',
  ],
  async run({ open, input, output }, flags) {
    await checkFiles(flags)
    const quaero = await open()
    const { question, approve } = flags
    const outline = await outlineIn(flags.outline, input)
    const asked = await askedOf(quaero, input, output, flags)
    const work = quaero.writeReport({ question, ...asked, ...given({ outline, approve }) })
    const isToEdit = flags.outline !== undefined && !existsSync(flags.outline)
    if (flags.dryRun || isToEdit) {
      await showOutline(await work.outline(), output, flags)
      return exitCodes.ok
    }
    const made = await writeWithProgress(work, output, flags.quiet)
    if (made === null) {
      tell(output, 'Stopped. Call the same command again: what was asked and written is kept.')
      return exitCodes.interrupted
    }
    await writeFiles(quaero, made, flags)
    await show(made, output, flags)
    return exitCodeOf(made)
  },
}

/** Before anything is asked, so that what was paid for can be written. */
async function checkFiles({ output, references, outline }: ReportFlags): Promise<void> {
  const { reportFormatOf, referencesWriter } = await import('../../claims/export/report-files.ts')
  if (output !== undefined) reportFormatOf(output)
  if (references !== undefined) referencesWriter(references)
  const planned = outline === undefined || existsSync(outline) ? undefined : outline
  for (const file of [output, output && (await besideOf(output)), references, planned]) {
    if (file !== undefined) await requireWritable(file)
  }
}

/** The references that are written beside a source of LaTeX. */
async function besideOf(output: string): Promise<string | undefined> {
  const { bibliographyOf } = await import('../../claims/export/report-files.ts')
  const isLatex = extname(output).toLowerCase() === '.tex'
  return isLatex ? join(dirname(output), `${bibliographyOf(output)}.bib`) : undefined
}

async function outlineIn(file: string | undefined, input: Input): Promise<Outline | undefined> {
  if (file === undefined || !existsSync(file)) return undefined
  const { parseOutline } = await import('../../index.ts')
  return parseOutline(await readNamedText(file, input))
}

/** Prints it, or writes it for the person to edit. */
async function showOutline(
  planned: Outline,
  output: Output,
  { outline: file, dryRun, json }: ReportFlags,
): Promise<void> {
  const { formatOutline } = await import('../../index.ts')
  const isWritten = file !== undefined && !dryRun
  if (isWritten) await writeNamed(file, formatOutline(planned), { flag: 'wx' })
  if (json) printJson(output, planned)
  else if (!isWritten) print(output, formatOutline(planned).trimEnd())
  else print(output, `The outline is in ${file}: ${sizeOf(planned)}. Edit it, and call the same command again.`)
}

/** null if it was stopped. */
async function writeWithProgress(work: ReportWork, output: Output, quiet = false): Promise<Report | null> {
  const progress = await startFileProgress(output, quiet)
  const known = { question: 0, section: 0 }
  const say = (text: string) => {
    progress.stop()
    if (!quiet) tell(output, text)
  }
  const tellDone = (each: DoneStep) => {
    const { step, done, total, isKnown } = each
    if (isKnown) known[step] += 1
    else progress.update({ done, total, path: wordsOf(each) })
    if (done === total) say(`${doneWords[step]}: ${total}, of which ${known[step]} were known before.`)
  }
  try {
    for await (const each of work.steps()) {
      if (each.step === 'report') return each.report
      if (each.step === 'outline') say(`Outline: ${sizeOf(each.outline)}.`)
      else tellDone(each)
    }
    return null
  } finally {
    progress.stop()
  }
}

type DoneStep = Extract<ReportStep, { readonly step: 'question' | 'section' }>

const doneWords = { question: 'Questions', section: 'Sections' } as const

function wordsOf(each: DoneStep): string {
  return each.step === 'section' ? each.heading : `${each.isFound ? 'found' : 'not found'}: ${each.question}`
}

async function writeFiles(quaero: Quaero, made: Report, { output, references }: ReportFlags): Promise<void> {
  const { bibliographyOf, reportFile, reportFormatOf, referencesFile } = await import(
    '../../claims/export/report-files.ts'
  )
  const documents = await quaero.library.list()
  if (output !== undefined) {
    const bibliography = bibliographyOf(output)
    await writeNamed(output, await reportFile(made, reportFormatOf(output), { documents, bibliography }))
    const beside = await besideOf(output)
    if (beside !== undefined) await writeNamed(beside, referencesFile(made, beside, documents))
  }
  if (references !== undefined) await writeNamed(references, referencesFile(made, references, documents))
}

async function show(made: Report, output: Output, flags: ReportFlags): Promise<void> {
  if (flags.json) return printJson(output, made)
  tellLimit(made, output, flags)
  if (flags.output !== undefined) return print(output, `${flags.output}: ${summaryOf(made)}`)
  const { reportInMarkdown } = await import('../../claims/export/report-files.ts')
  print(output, reportInMarkdown(made).trimEnd())
}

function sizeOf({ sections }: Outline): string {
  const questions = sections.flatMap((each) => each.questions)
  return `${pluralOf(sections.length, 'section')}, ${pluralOf(questions.length, 'question')}`
}

/** "a report of 4 sections, 31 sentences, 40 quotes; 1 question not found". */
function summaryOf({ kind, sections, notFound, unfinished, usage }: Report): string {
  const claims = sections.flatMap(({ paragraphs }) => paragraphs.flat())
  const quotes = claims.flatMap((each) => each.quotes)
  const size = [
    pluralOf(sections.length, 'section'),
    pluralOf(claims.length, 'sentence'),
    pluralOf(quotes.length, 'quote'),
  ]
  const missing = [
    ...(notFound.length > 0 ? [`${pluralOf(notFound.length, 'question')} not found`] : []),
    ...(unfinished.length > 0 ? [`${unfinished.length} not finished`] : []),
    ...(kind === 'report' && usage.modelCalls > 0 ? [`${pluralOf(usage.modelCalls, 'model call')} in all`] : []),
  ]
  return [`a ${kind} of ${size.join(', ')}`, ...missing].join('; ')
}

function exitCodeOf({ unfinished }: Report): number {
  if (unfinished.length === 0) return exitCodes.ok
  return unfinished.some(({ state }) => state === 'failed') ? exitCodes.failed : exitCodes.requiresAction
}

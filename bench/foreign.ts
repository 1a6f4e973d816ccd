// Asks questions over documents that no rule was written for: filings, papers, manuals, policies, FAQs, references, books,
// in four languages, all of a half in one library. Half of the documents are put aside: of them only figures are printed.
//   npm run bench -- foreign [--aside] [--all] [--show] [--model openai:<name>] [--every <n>] [--check] [--threads] [--set <folder>]
import { rm } from 'node:fs/promises'
import type { Quaero, RunResult } from '../src/index.ts'
import { calibrationError } from './calibration-error.ts'
import { askAll, type Conversation, conversationsIn } from './drafts/ask.ts'
import { checkQuotes } from './foreign/check.ts'
import { fetchDocuments } from './foreign/fetch.ts'
import { isSurelyWrong, judge, SURE, type Verdict } from './foreign/judge.ts'
import { copyOfLibrary } from './foreign/library.ts'
import { type ForeignDocument, type ForeignQuestion, type Half, readMaterial } from './foreign/material.ts'
import { median } from './processes.ts'

const PASSAGES = 10

/**
 * `--aside`: the half put aside. `--all`: all documents in one library, whichever half is asked about. `--show`: each
 * question of the development half that went wrong. `--model`: in place of answers without a key. `--check`: only
 * whether each quote stands on its page. `--every`: of a half only each nth conversation, for a model that is slow or dear;
 * the same each time. `--threads`: only conversations that go on. `--set`: a folder with other `documents.json` and `questions.jsonl`.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { documents, questions } = readMaterial(optionOf(args, '--set'))
  const half: Half = args.includes('--aside') ? 'aside' : 'development'
  const own = args.includes('--all') ? documents : documents.filter((document) => document.half === half)
  if (args.includes('--check')) return checkQuotes(questions, documents, await fetchDocuments(documents))
  const every = Number(optionOf(args, '--every') ?? 1)
  const least = args.includes('--threads') ? 2 : 1
  const asked = conversationsIn(questions.filter((question) => question.half === half))
    .filter(({ length }) => length >= least)
    .filter((_, at) => at % every === 0)
  const model = optionOf(args, '--model') ?? 'extractive'
  console.log(`${half} half: ${asked.flat().length} questions, ${own.length} documents, ${model}\n`)
  const verdicts = await answerAll(own, asked, { model, show: args.includes('--show') && half === 'development' })
  report(verdicts, own)
}

function optionOf(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(name)
  return at < 0 ? undefined : args[at + 1]
}

interface Asking {
  readonly model: string
  /** Prints what went wrong. */
  readonly show: boolean
}

async function answerAll(
  documents: readonly ForeignDocument[],
  asked: readonly Conversation<ForeignQuestion>[],
  { model, show }: Asking,
): Promise<readonly Verdict[]> {
  const files = await fetchDocuments(documents)
  const dataDir = await copyOfLibrary(documents, files)
  const isWritten = model !== 'extractive'
  const verdicts: Verdict[] = []
  const usages: RunResult['usage'][] = []
  await askAll(asked, { dataDir, model }, async ({ asked: question, result, quaero }) => {
    const verdict = judge(question, result, await search(quaero, result), { files, isWritten })
    if (show && !verdict.right) print(verdict, result)
    verdicts.push(verdict)
    usages.push(result.usage)
    if (isWritten) console.error(`${verdicts.length} of ${asked.flat().length}`)
  })
  if (isWritten) printCost(usages)
  await rm(dataDir, { recursive: true })
  return verdicts
}

function printCost(usages: readonly RunResult['usage'][]): void {
  const calls = median(usages.map(({ modelCalls }) => modelCalls))
  const tokens = median(usages.map(({ inputTokens }) => inputTokens))
  console.log(`a question takes, in the median, ${calls} model calls and ${tokens} input tokens\n`)
}

/** What the search finds for the question as it was understood; nothing for a question without a word to search for. */
function search(quaero: Quaero, { question, standaloneQuestion }: RunResult) {
  return quaero.library.search(standaloneQuestion ?? question, { limit: PASSAGES }).catch(() => [])
}

function print({ question, outcome, shown, confidence }: Verdict, result: RunResult): void {
  const wanted = question.expect?.map((group) => group.join(' | ')).join(' & ') ?? question.kind
  console.log(`${question.id} ${question.kind}: ${question.question}`)
  console.log(`  wanted: ${wanted}`)
  console.log(`  ${outcome}${shown ? ', shown' : ''}, confidence ${confidence?.toFixed(2) ?? '–'}`)
  console.log(`  ${result.answer.replaceAll(/\s+/g, ' ').slice(0, 400)}\n`)
}

function report(verdicts: readonly Verdict[], documents: readonly ForeignDocument[]): void {
  const kindOf = new Map(documents.map(({ id, kind }) => [id, kind]))
  const byDocument = (kind: string) =>
    verdicts.filter(({ question }) => kindOf.get(question.documents[0] ?? '') === kind)
  printRow('', HEADINGS)
  printGroups(verdicts, ({ question }) => question.kind)
  console.log('\nby kind of document')
  for (const kind of new Set(kindOf.values())) printFigures(kind, byDocument(kind))
  console.log('\nby language')
  printGroups(verdicts, ({ question }) => question.language)
  console.log()
  printFigures('all', verdicts)
  console.log(
    `\nright, shown: of the questions that have an answer, in the first quote, in all that is shown. declined: of the ` +
      `unanswerable. asked back: of the vague, and of the others. sure: wrong at a confidence of ${SURE} or more. ECE: of ` +
      `what was answered. document, page: the right document first, the page of the evidence in the first ${PASSAGES} passages.`,
  )
}

function printGroups(verdicts: readonly Verdict[], nameOf: (verdict: Verdict) => string): void {
  for (const name of new Set(verdicts.map(nameOf))) {
    printFigures(
      name,
      verdicts.filter((verdict) => nameOf(verdict) === name),
    )
  }
}

const HEADINGS = ['right', 'shown', 'declined', 'asked back', 'sure', 'ECE', 'document', 'page'] as const

function printFigures(name: string, verdicts: readonly Verdict[]): void {
  const unanswerable = verdicts.filter(({ question }) => question.kind === 'unanswerable')
  const vague = verdicts.filter(({ question }) => question.kind === 'vague')
  const answerable = verdicts.filter((verdict) => !unanswerable.includes(verdict) && !vague.includes(verdict))
  const clear = [...answerable, ...unanswerable]
  const askedBack = clear.filter(({ outcome }) => outcome === 'asked back').length
  printRow(name, [
    share(answerable, ({ right }) => right),
    share(answerable, ({ shown }) => shown),
    share(unanswerable, ({ right }) => right),
    `${share(vague, ({ right }) => right)} + ${askedBack}`,
    share(clear, isSurelyWrong),
    errorOf(clear),
    share(answerable, ({ documentFirst }) => documentFirst),
    share(answerable, ({ pageInTen }) => pageInTen),
  ])
}

function errorOf(verdicts: readonly Verdict[]): string {
  const stated = verdicts.flatMap(({ confidence, right }) => (confidence === null ? [] : [{ p: confidence, right }]))
  return stated.length === 0 ? '–' : calibrationError(stated).toFixed(3)
}

function share(verdicts: readonly Verdict[], isCounted: (verdict: Verdict) => boolean): string {
  if (verdicts.length === 0) return '–'
  return `${verdicts.filter(isCounted).length}/${verdicts.length}`
}

function printRow(name: string, cells: readonly string[]): void {
  console.log(name.padEnd(16) + cells.map((cell) => cell.padStart(11)).join(''))
}

// Asks the hand-written questions over the development papers, end to end and with no key: is the answer right, is the
// right page cited, does every quote stand on its page, are vague questions asked back and unanswerable ones declined?
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createQuaero, type Quaero, type RunResult } from '../src/index.ts'
import { dataFolder } from './question-sets.ts'

interface Row {
  readonly id: string
  readonly type: 'text' | 'table' | 'unanswerable' | 'clarify' | 'cross-doc'
  readonly question: string
  readonly accept?: readonly string[]
  readonly accept_all?: readonly string[]
  readonly doc?: string
  readonly page?: number
}

interface Judged {
  readonly row: Row
  readonly result: RunResult
  readonly right: boolean
  /** One of the citations stands on the page that holds the answer. */
  readonly pageCited: boolean
}

export async function run(args: readonly string[]): Promise<void> {
  const { judged, quotes } = await askAll()
  for (const each of judged.filter(({ right }) => args.includes('--all') || !right)) print(each)
  report(judged)
  console.log(`quotes that equal the page text: ${quotes}`)
}

async function askAll(): Promise<{ readonly judged: readonly Judged[]; readonly quotes: string }> {
  const folder = dataFolder()
  const rows = readFileSync(join(folder, 'pdf-qa.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)
  const quaero = await createQuaero({ dataDir: ':memory:', model: 'extractive', documents: [join(folder, 'pdf')] })
  const judged: Judged[] = []
  for (const row of rows) judged.push(judge(row, await quaero.ask(row.question)))
  const quotes = await verifiedQuotes(quaero, judged)
  await quaero.close()
  return { judged, quotes }
}

function judge(row: Row, result: RunResult): Judged {
  const pageCited = result.citations.some(({ source, page }) => basename(source) === row.doc && page === row.page)
  return { row, result, right: isRight(row, result), pageCited }
}

function isRight(row: Row, { status, abstained, answer }: RunResult): boolean {
  if (row.type === 'clarify') return status === 'clarification_needed'
  if (row.type === 'unanswerable') return abstained
  if (status !== 'completed' || abstained) return false
  if (row.accept_all) return row.accept_all.every((text) => answer.includes(text))
  return (row.accept ?? []).some((text) => answer.includes(text))
}

function print({ row, result, right, pageCited }: Judged): void {
  const mark = right ? 'right' : 'WRONG'
  console.log(`\n${row.id} ${row.type} ${mark}${pageCited ? ', page cited' : ''}: ${row.question}`)
  console.log(`  accepted: ${(row.accept ?? row.accept_all ?? [row.type]).join(' | ')}`)
  console.log(`  ${result.status}, confidence ${result.confidence?.toFixed(2)}: ${result.answer.replaceAll('\n', ' ')}`)
}

function report(judged: readonly Judged[]): void {
  console.log()
  for (const type of ['text', 'table', 'unanswerable', 'clarify', 'cross-doc'] as const) {
    const own = judged.filter(({ row }) => row.type === type)
    const right = own.filter((each) => each.right)
    const paged =
      type === 'text' || type === 'table' ? `, right page cited ${right.filter((each) => each.pageCited).length}` : ''
    console.log(`${type}: ${right.length} of ${own.length}${paged}`)
  }
}

async function verifiedQuotes(quaero: Quaero, judged: readonly Judged[]): Promise<string> {
  const citations = judged.flatMap(({ result }) => result.citations)
  const texts = await Promise.all(citations.map(({ documentId, page }) => quaero.library.text(documentId, page)))
  const equal = citations.filter(({ start, end, quote }, i) => texts[i]?.text.slice(start, end) === quote)
  return `${equal.length} of ${citations.length}`
}

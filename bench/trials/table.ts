import { appendFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { type AnswerCell, createQuaero, type Quaero } from '../../src/index.ts'
import { patient } from '../drafts/ask.ts'
import { setOf, type WantedQuestion } from '../drafts/question-set.ts'
import { copyOfLibrary } from '../foreign/library.ts'
import { median } from '../processes.ts'
import { inLanes } from '../torture/processes.ts'
import { effects, placeOf } from './judge.ts'
import { type TrialQuestion, trialQuestions, trials } from './reports.ts'

const options = {
  model: { type: 'string' },
  /** The first and the last question, counted from 1. */
  from: { type: 'string', default: '1' },
  to: { type: 'string' },
  log: { type: 'string' },
} as const

/** A cell that was filled, what doctors say, and what its run took. */
interface Filled {
  readonly question: string
  readonly gold: TrialQuestion
  readonly cell: AnswerCell
  readonly calls: number
}

/** Reports that are asked at a time, so many cells each. */
const reportsAtOnce = 3

/** Fills a table for each report, a column for each of its questions, twice, and compares values and quotes with the doctors'. */
export async function tableOfTrials(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options })
  const { documents, files, questions } = setOf('trials', trials())
  const chosen = questions.slice(Number(values.from) - 1, values.to === undefined ? undefined : Number(values.to))
  const dataDir = await copyOfLibrary(documents, files)
  try {
    const first = await fill(dataDir, chosen, values.model)
    if (values.log !== undefined) writeLog(values.log, first.filled)
    printFigures(first.filled)
    // Opened anew, as another process would: all it knows is the log.
    const second = await fill(dataDir, chosen, values.model)
    const same = second.filled.filter(({ cell }, at) => isDeepStrictEqual(cell, first.filled[at]?.cell)).length
    console.log(`second run: ${same} of ${chosen.length} cells with the same value and quotes, ${second.calls} calls`)
  } finally {
    await rm(dataDir, { recursive: true })
  }
}

async function fill(dataDir: string, questions: readonly WantedQuestion[], model: string | undefined) {
  let calls = 0
  const quaero = await createQuaero({
    dataDir,
    settings: patient,
    ...(model !== undefined && { model }),
    subscribers: [
      ({ type }) => {
        if (type === 'model.completed') calls += 1
      },
    ],
  })
  try {
    const reports = [...new Set(questions.map(({ documentIds: [id = ''] = [] }) => id))]
    const rows = await inLanes(reports, reportsAtOnce, async (id) => {
      const own = questions.filter(({ documentIds }) => documentIds?.includes(id))
      const filled = await fillReport(quaero, id, own)
      console.error(`${reports.indexOf(id) + 1} of ${reports.length} reports`)
      return filled
    })
    const filled = new Map(rows.flat().map((each) => [each.gold.id, each]))
    return { filled: questions.flatMap(({ id }) => filled.get(id) ?? []), calls }
  } finally {
    await quaero.close()
  }
}

async function fillReport(quaero: Quaero, id: string, asked: readonly WantedQuestion[]): Promise<readonly Filled[]> {
  const columns = asked.map((each) => ({ id: each.id, question: each.question, form: [...effects] }))
  const { rows } = await quaero.table({ columns, documentIds: [id] }).result()
  const cells = rows.flatMap((row) => row.cells)
  const golds = new Map(trialQuestions().map((each) => [each.id, each]))
  const filled = await Promise.all(
    asked.map(async (each, at) => {
      const [gold, cell] = [golds.get(each.id), cells[at]]
      if (!gold || !cell) return []
      const calls = cell.runId === null ? 0 : (await quaero.runs.show(cell.runId)).usage.modelCalls
      return [{ question: each.question, gold, cell, calls }]
    }),
  )
  return filled.flat()
}

/** The quote that is nearest to the evidence counts. */
function overlaps({ cell, gold }: Filled): boolean {
  return cell.quotes.some(({ text }) => placeOf(text, gold.evidence) !== 'none')
}

function isRight({ cell, gold }: Filled): boolean {
  return cell.value === gold.label
}

function printFigures(filled: readonly Filled[]): void {
  const line = (name: string, own: readonly Filled[]) => {
    const count = (isCounted: (each: Filled) => boolean) => own.filter(isCounted).length
    const without = count(({ cell }) => cell.value === null)
    const figures = [own.length, without, count(isRight), count(overlaps), median(own.map(({ calls }) => calls))]
    console.log([name.padEnd(28), ...figures.map((each) => String(each).padStart(17))].join(''))
  }
  const head = ['questions', 'without a value', 'value right', 'quotes evidence', 'calls (median)']
  console.log([''.padEnd(28), ...head.map((each) => each.padStart(17))].join(''))
  for (const effect of effects)
    line(
      effect,
      filled.filter(({ gold }) => gold.label === effect),
    )
  line('all', filled)
}

function writeLog(path: string, filled: readonly Filled[]): void {
  writeFileSync(path, '')
  for (const each of filled) {
    const { question, gold, calls, cell } = each
    const { value, state, reason, quotes } = cell
    const judged = { right: isRight(each), overlaps: overlaps(each) }
    const said = { value, state, ...(reason !== undefined && { reason }), quotes: quotes.map(({ text }) => text) }
    const line = { id: gold.id, question, ...said, gold: gold.label, evidence: gold.evidence, ...judged, calls }
    appendFileSync(path, `${JSON.stringify(line)}\n`)
  }
}

// A long report over many documents: 40 reports of clinical trials, or 46 articles about viruses (COVID-QA), with how long it is,
// what it cites and what it took; asked for again; and with one question of its outline put otherwise. For whoever judges it,
// sentences.md has every sentence with its quotes, and the documents lie beside it.
//   npm run bench -- reports --set trials|articles --question <text> --model openai:<name> --out <folder>
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createQuaero, type Outline, type Quaero, type Report, reportFile } from '../src/index.ts'
import { patient } from './drafts/ask.ts'
import { dataFolder, MissingData, readLines } from './question-sets.ts'

const options = {
  set: { type: 'string', default: 'trials' },
  question: { type: 'string' },
  model: { type: 'string' },
  out: { type: 'string' },
} as const

/** The folder keeps library and log: a run that was stopped goes on there. */
export async function run(args: readonly string[]): Promise<void> {
  const { set, question, model, out } = parseArgs({ args: [...args], options }).values
  if (question === undefined || model === undefined || out === undefined)
    throw new MissingData('Give a question, a model and a folder: --question "…" --model openai:<name> --out <folder>.')
  const sources = writeSources(set, join(out, 'documents'))
  let calls = 0
  const quaero = await createQuaero({
    dataDir: join(out, 'data'),
    settings: patient,
    model,
    subscribers: [
      ({ type }) => {
        if (type === 'model.completed') calls += 1
      },
    ],
  })
  const called = () => {
    const made = calls
    calls = 0
    return made
  }
  try {
    const started = performance.now()
    const report = await write(quaero, { question, documents: [sources] })
    const seconds = ((performance.now() - started) / 1000).toFixed(0)
    writeFileSync(join(out, 'report.json'), JSON.stringify(report, null, 1))
    writeFileSync(join(out, 'report.md'), await reportFile(report, 'md', { documents: await quaero.library.list() }))
    writeFileSync(join(out, 'sentences.md'), sentencesOf(report))
    printFigures(report, called(), seconds)
    await write(quaero, { question, documents: [sources] })
    console.log(`again: ${called()} calls`)
    const paid: string[] = []
    await write(quaero, { question, documents: [sources], outline: otherwise(report) }, paid)
    console.log(`one question put otherwise: ${called()} calls, sections written: ${paid.join(', ') || 'none'}`)
  } finally {
    await quaero.close()
  }
}

type Asked = Parameters<Quaero['writeReport']>[0]

async function write(quaero: Quaero, asked: Asked, paid: string[] = []): Promise<Report> {
  for await (const each of quaero.writeReport(asked).steps()) {
    if (each.step === 'report') return each.report
    if (each.step === 'outline') continue
    console.error(`${each.step} ${each.done} of ${each.total}`)
    if (each.step === 'section' && !each.isKnown) paid.push(each.heading)
  }
  throw new Error('The report was not written.')
}

/** The documents of a set as files of a folder. */
function writeSources(set: string, folder: string): string {
  mkdirSync(folder, { recursive: true })
  if (set === 'trials') {
    const trials = join(dataFolder(), 'trials')
    for (const name of readdirSync(trials).filter((each) => each.endsWith('.txt')))
      writeFileSync(join(folder, name), readFileSync(join(trials, name)))
    return folder
  }
  const articles = readLines<{ doc_id: string; title: string; text: string }>(
    join(dataFolder(), 'covidqa', 'articles.jsonl'),
  )
  for (const each of articles) writeFileSync(join(folder, `${each.doc_id}.txt`), each.text)
  return folder
}

/** The outline with the first question of its first section in other words. */
function otherwise({ title, sections }: Report): Outline {
  const [first, ...others] = sections.map(({ heading, questions }) => ({ heading, questions }))
  const [question = '', ...rest] = first?.questions ?? []
  const put = `According to the documents: ${question}`
  return { title, sections: [{ heading: first?.heading ?? '', questions: [put, ...rest] }, ...others] }
}

function printFigures(report: Report, calls: number, seconds: string): void {
  const claims = report.sections.flatMap(({ paragraphs }) => paragraphs.flat())
  const words = claims.reduce((sum, { text }) => sum + text.split(/\s+/).length, 0)
  const citations = claims.reduce((sum, { quotes }) => sum + quotes.length, 0)
  const { inputTokens, outputTokens } = report.usage
  console.log(`${report.sections.length} sections, ${claims.length} sentences, ${words} words, ${citations} citations`)
  console.log(`citations per 1,500 words: ${((citations / words) * 1_500).toFixed(1)}`)
  console.log(
    `${report.contradictions.length} contradictions, ${report.notFound.length} questions not found, ${report.unfinished.length} unfinished, ${report.unsupported.length} sentences fell, ${report.unopened.length} of ${report.documents} documents never opened`,
  )
  console.log(`${calls} calls, ${inputTokens} tokens in, ${outputTokens} out, ${seconds} s`)
}

function sentencesOf({ sections }: Report): string {
  let number = 0
  return sections
    .map(({ heading, paragraphs }) => {
      const lines = paragraphs.flat().map(({ text, state, quotes }) => {
        number += 1
        const behind = quotes.map((quote) => `   - ${quote.title ?? quote.source}, page ${quote.page}: "${quote.text}"`)
        return [`${number}. (${state}) ${text}`, ...behind].join('\n')
      })
      return `## ${heading}\n\n${lines.join('\n')}\n`
    })
    .join('\n')
}

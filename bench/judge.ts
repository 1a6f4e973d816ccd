import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { judgeWith, readerExam, type SecondReadingOptions } from '../src/agents/second-reading.ts'
import { examClaims } from '../src/answers/judge/exam.ts'
import { judgeDraft } from '../src/answers/verified-answer.ts'
import { loadConfig, type Settings } from '../src/config.ts'
import type { Event, Evidence } from '../src/events/index.ts'
import type { PassageIndex } from '../src/library/port/passage-index.ts'
import { rememberAbilities } from '../src/models/port/model.ts'
import { resolveModel } from '../src/models/resolve-model.ts'
import { loadPrompt } from '../src/prompts.ts'
import { startEndpoint } from '../tests/fixtures/openai-endpoint.ts'
import { inGraph } from '../tests/unit/agents/in-graph.ts'
import { type FilingQuestion, withFilings } from './filings-library.ts'
import { draftOf, evidenceFor, halvesOf, type Said, type Written } from './judge/drafts.ts'
import { type Cost, type Outcome, outcomesOf, printReport } from './judge/report.ts'
import { readerOptions, repliesBy, replyTo } from './kept-replies.ts'
import { MissingData, readLines } from './question-sets.ts'

const options = {
  ...readerOptions,
  half: { type: 'string' },
  tokens: { type: 'string' },
} as const

/**
 * Judges sentences as models write them over the filings of QUAERO_DEV_DATA, true ones and false twins of them, several a
 * draft, by the code and the prompt of every answer, beside the passages that their writer would have had. Prints how many true
 * ones are kept, how many false ones are caught, how many corrections are right, what it costs, and the mark of the exam.
 *
 * `--reader openai:<model>`, at OPENAI_BASE_URL, or a base URL, however slow it is. `--out <folder>` keeps its replies, so that
 * what was answered is not asked again; `--kept` asks nothing more. `--half 1` or `2`: one of the two drafts of each question.
 * `--tokens <n>`: passages of so many tokens, in place of what the settings say.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options })
  const { half, tokens } = values
  const replies = repliesBy(values)
  if (!replies) throw new MissingData('Name a reader: --reader openai:<model>, at OPENAI_BASE_URL.')
  const endpoint = await startEndpoint(async (body) => ({ raw: await replyTo(body, replies) }))
  try {
    const { settings, reading } = await readingAt(endpoint.url)
    await withFilings(async (questions, { library: passages }) => {
      const budget = tokens === undefined ? settings.search.evidenceTokens : Number(tokens)
      const drafts = await draftsOf(questions, passages, { settings, budget, half })
      const [mark, judged] = await Promise.all([examine(reading), judgeAll(drafts, passages, reading)])
      printReport(
        judged.flatMap(({ outcomes }) => outcomes),
        costOf(judged.flatMap(({ log }) => log)),
      )
      console.log(mark === null ? 'not examined' : `exam           ${mark} of ${examClaims.length}`)
    })
  } finally {
    await endpoint.close()
  }
}

const sentencesFile = join(import.meta.dirname, 'judge', 'sentences.jsonl')
/** So many at a time, for a reader that answers several requests at once. */
const lanes = 8
/** A reader may take as long as it likes. */
const patient = { headersTimeoutSeconds: 1e6, idleTimeoutSeconds: 1e6 }

/** The reader as an engine would have it. */
async function readingAt(
  baseUrl: string,
): Promise<{ settings: Settings; reading: Omit<SecondReadingOptions, 'examine'> }> {
  const config = loadConfig({
    env: { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: 'none' },
    overrides: { endpoint: patient },
  })
  const { settings } = config
  const extractive = () => Promise.reject(new Error('the reader is a language model'))
  const chat = await resolveModel('openai:reader', {
    config,
    extractive,
    abilities: rememberAbilities(settings.endpoint),
  })
  const { temperature, prompt } = settings.agents.secondReading
  return { settings, reading: { chat, temperature, prompt: loadPrompt(prompt, settings.promptsDir) } }
}

interface Draft {
  readonly name: string
  readonly question: string
  readonly sentences: readonly Said[]
  readonly text: string
  readonly evidence: readonly Evidence[]
}

/** All first drafts come before the second ones, which hold the same facts. */
async function draftsOf(
  questions: readonly FilingQuestion[],
  index: PassageIndex,
  { settings, budget, half }: { settings: Settings; budget: number; half: string | undefined },
): Promise<readonly Draft[]> {
  const written = readLines<Written>(sentencesFile)
  const drafts = await Promise.all(
    questions.map(async (asked) => {
      const evidence = await evidenceFor(asked, index, settings, budget)
      const halves = halvesOf(written.filter(({ question }) => question === asked.id))
      return halves.map((sentences, at): Draft => {
        const text = draftOf(sentences, evidence, asked.pages)
        return { name: `${asked.id}/${at + 1}`, question: asked.question, sentences, text, evidence }
      })
    }),
  )
  const chosen = half === undefined ? [0, 1] : [Number(half) - 1]
  return chosen.flatMap((at) => drafts.flatMap((each) => each[at] ?? []))
}

interface Judged {
  readonly outcomes: readonly Outcome[]
  readonly log: readonly Event[]
}

async function judgeAll(
  drafts: readonly Draft[],
  index: PassageIndex,
  reading: Omit<SecondReadingOptions, 'examine'>,
): Promise<readonly Judged[]> {
  const left = drafts.values()
  const judged: Judged[] = []
  // Each takes the next one as soon as it is free.
  const work = async () => {
    for (const draft of left) judged.push(await judge(draft, index, reading))
  }
  await Promise.all(Array.from({ length: lanes }, work))
  return judged
}

async function judge(
  { name, question, sentences, text: draft, evidence }: Draft,
  index: PassageIndex,
  reading: Omit<SecondReadingOptions, 'examine'>,
): Promise<Judged> {
  const options = { ...reading, examine: async () => null }
  const { result, log } = await inGraph(
    (context) =>
      judgeDraft({
        draft,
        evidence,
        question,
        pageTextOf: (documentId, page, around) => index.pageWindow(documentId, page, around),
        judge: judgeWith(context, options, { question, evidence, readings: new Map() }),
      }),
    { agent: 'synthesis' },
  )
  return { outcomes: outcomesOf(name, sentences, result), log }
}

/** The mark of the reader; null if it could not be examined. */
async function examine(reading: Omit<SecondReadingOptions, 'examine'>): Promise<number | null> {
  const marks: number[] = []
  const keep = async (_reader: string, mark: number) => void marks.push(mark)
  const exam = readerExam({ ...reading, leastMark: examClaims.length, marks: { of: async () => null, keep } })
  await inGraph(exam, { agent: 'synthesis' })
  return marks[0] ?? null
}

function costOf(log: readonly Event[]): Cost {
  const usages = log.flatMap((event) => (event.type === 'model.completed' ? [event.payload.usage] : []))
  const sum = (tokens: readonly (number | null | undefined)[]) =>
    tokens.reduce<number>((all, each) => all + (each ?? 0), 0)
  return {
    calls: usages.length,
    inputTokens: sum(usages.map(({ inputTokens }) => inputTokens)),
    cachedTokens: sum(usages.map(({ cachedInputTokens }) => cachedInputTokens)),
    outputTokens: sum(usages.map(({ outputTokens }) => outputTokens)),
  }
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sentences } from '../src/library/language/sentences.ts'
import { contentWords } from '../src/library/language/terms.ts'
import type { NewDocument } from '../src/library/port/document.ts'
import type { PassageIndex } from '../src/library/port/passage-index.ts'
import { findPassages } from '../src/library/search.ts'
import { openSqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import { covidQa, dataFolder, fill, sciFact, xquad } from './question-sets.ts'

const SENTENCES_PER_PASSAGE = 5
const PASSAGES_PER_PAGE = 5
const PAGES = 20
const QUESTIONS = 200

/**
 * How long a search takes in a library of 100,000 passages (1,000,000 with `--million`), for questions as people ask
 * them and for their content words alone. The passages are made of the question sets' sentences, put together anew.
 */
export async function run(args: readonly string[]): Promise<void> {
  const passages = args.includes('--million') ? 1_000_000 : 100_000
  const sets = [xquad(dataFolder()), covidQa(dataFolder())]
  const texts = [...sets, sciFact(dataFolder())].flatMap(({ documents }) => documents).flatMap(sentencesOf)
  const questions = sets.flatMap((set) => set.questions.map(({ question }) => question))
  const folder = await mkdtemp(join(tmpdir(), 'quaero-scale-'))
  const storage = await openSqliteStorage({ path: join(folder, 'scale.db') })
  try {
    const started = performance.now()
    await fill(storage.library, recombined(texts, passages))
    console.log(`${passages} passages in ${Math.round((performance.now() - started) / 1000)} s`)
    const step = Math.floor(questions.length / QUESTIONS)
    await measure(
      storage.library,
      questions.filter((_, i) => i % step === 0),
    )
  } finally {
    await storage.close()
    await rm(folder, { recursive: true })
  }
}

export function sentencesOf({ passages }: NewDocument): readonly string[] {
  return passages.flatMap(({ text }) => sentences(text).map(({ start, end }) => text.slice(start, end)))
}

/** Documents whose passages are sentences drawn by a generator with a fixed seed. */
export function* recombined(texts: readonly string[], passages: number): Generator<NewDocument> {
  const next = randomNumbers()
  const draw = () => texts[Math.floor(next() * texts.length)] ?? ''
  const passage = () => Array.from({ length: SENTENCES_PER_PASSAGE }, draw).join(' ')
  for (let number = 0; number < passages / (PAGES * PASSAGES_PER_PAGE); number += 1) {
    const pages = Array.from({ length: PAGES }, () => Array.from({ length: PASSAGES_PER_PAGE }, passage))
    yield documentOf(`made-${number}`, pages)
  }
}

function documentOf(documentId: string, pages: readonly (readonly string[])[]): NewDocument {
  const joined = pages.map((passages) => passages.join('\n'))
  return {
    record: { documentId, title: null, authors: [], year: null, source: `${documentId}.txt`, format: 'text' },
    pages: joined.map((text, i) => ({ number: i + 1, label: null, text, header: null })),
    passages: pages.flatMap((passages, i) =>
      passages.map((text, place) => {
        const ordinal = i * PASSAGES_PER_PAGE + place
        const start = joined[i]?.indexOf(text) ?? 0
        const stands = { page: i + 1, section: null, kind: 'text', start, end: start + text.length } as const
        return { passageId: `${documentId}.${ordinal}`, documentId, ordinal, ...stands, text }
      }),
    ),
  }
}

/** Numbers from 0 to 1, the same in every run (a linear congruential generator, constants of Numerical Recipes). */
function randomNumbers(): () => number {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

async function measure(index: PassageIndex, questions: readonly string[]): Promise<void> {
  const first: Taken[] = []
  const natural: Taken[] = []
  const content: Taken[] = []
  for (const question of questions) first.push(await timed(index, question))
  for (const question of questions) {
    natural.push(await timed(index, question))
    content.push(await timed(index, contentWords(question).join(' ')))
  }
  console.log(`asked for the first time: ${describe(first)}`)
  console.log(`questions as asked: ${describe(natural)}`)
  console.log(`content words only: ${describe(content)}`)
}

/** How long a search took by the clock, and of the processor: the latter tells less of what else the machine does. */
interface Taken {
  readonly wallMs: number
  readonly processorMs: number
}

async function timed(index: PassageIndex, query: string): Promise<Taken> {
  const started = performance.now()
  const before = process.cpuUsage()
  await findPassages(index, query, { limit: 10 })
  const { user, system } = process.cpuUsage(before)
  return { wallMs: performance.now() - started, processorMs: (user + system) / 1000 }
}

function describe(taken: readonly Taken[]): string {
  const at = (times: readonly number[], share: number) =>
    ([...times].sort((a, b) => a - b)[Math.floor(share * (times.length - 1))] ?? 0).toFixed(1)
  const both = (times: readonly number[]) => `p50 ${at(times, 0.5)} ms, p95 ${at(times, 0.95)} ms`
  return `${both(taken.map(({ wallMs }) => wallMs))}; processor ${both(taken.map(({ processorMs }) => processorMs))}`
}

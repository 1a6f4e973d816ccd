// Which questions are asked back about, with no key: vague ones, written for this, over libraries of many documents; and
// real ones, which say what they want and should not be. Even questions of the sets are for development.
import { join } from 'node:path'
import { partsOver } from '../src/offline/parts/parts.ts'
import { chooseRoute } from '../src/offline/route.ts'
import { openSqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import { covidQa, dataFolder, fill, type QuestionSet, readLines, xquad } from './question-sets.ts'

const HALVES = ['development', 'held out'] as const
type Half = (typeof HALVES)[number]

/** As in config/default.yaml. */
const DOCUMENT_GAP = 0.1

interface Vague {
  readonly set: Half
  readonly question: string
}

type AsksBack = (question: string, options?: Options) => Promise<boolean>

interface Options {
  readonly documents?: readonly string[]
}

export async function run(args: readonly string[]): Promise<void> {
  const folder = dataFolder()
  const vague = readLines<Vague>(join(import.meta.dirname, '..', 'tests', 'fixtures', 'clarification', 'vague.jsonl'))
  for (const set of [xquad(folder), covidQa(folder)]) await measure(set, vague, args.includes('--all'))
}

/** Vague questions and a set's own, over the set's documents. */
async function measure(set: QuestionSet, vague: readonly Vague[], showAll: boolean): Promise<void> {
  await over(set, async (asksBack) => {
    for (const half of HALVES) {
      const missed = await those(
        vague.filter((each) => each.set === half),
        async ({ question }) => !(await asksBack(question)),
      )
      const real = set.questions.filter((_, i) => (i % 2 === 0) === (half === 'development'))
      const alarms = await those(real, ({ question }) => asksBack(question))
      const known = await those(real, ({ question, documentId }) => asksBack(question, { documents: [documentId] }))
      const wanted = vague.filter((each) => each.set === half).length
      console.log(
        `${set.name}, ${half}: ${scores(wanted - missed.length, alarms.length, wanted)}; false alarms ` +
          `${alarms.length} of ${real.length} (${share(alarms.length, real.length)}), ` +
          `with the document given ${known.length} (${share(known.length, real.length)})`,
      )
      if (half === 'held out' && !showAll) continue
      for (const { question } of missed) console.log(`  not asked back: ${question}`)
      for (const { question } of alarms) console.log(`  asked back: ${question}`)
    }
  })
}

/** Opens an index over a set's documents for as long as `use` takes. */
async function over(set: QuestionSet, use: (asksBack: AsksBack) => Promise<void>): Promise<void> {
  const storage = await openSqliteStorage({ path: ':memory:' })
  await fill(storage.library, set.documents)
  const parts = partsOver(storage.library, { documentGap: DOCUMENT_GAP })
  await use(async (question, { documents = null } = {}) => {
    const { route } = await chooseRoute({ agent: 'orchestrator', question, history: [], documents }, parts)
    return route === 'clarification'
  })
  await storage.close()
}

async function those<T>(items: readonly T[], holds: (item: T) => Promise<boolean>): Promise<readonly T[]> {
  const held: T[] = []
  for (const item of items) if (await holds(item)) held.push(item)
  return held
}

function scores(right: number, wrong: number, wanted: number): string {
  const precision = right / Math.max(1, right + wrong)
  const recall = right / wanted
  const f1 = right === 0 ? 0 : (2 * precision * recall) / (precision + recall)
  return `precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}, F1 ${f1.toFixed(3)}`
}

function share(count: number, of: number): string {
  return (count / of).toFixed(3)
}

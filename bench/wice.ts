// Claims beside the sentences of a web page (WiCE, development set), through the second reading alone.
//   npm run bench -- wice --reader openai:<name> [--endpoint <base URL>] [--every <n>] [--out <folder>] [--show]
import { appendFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { oneIn } from './drafts/ask.ts'
import { dataFolder, MissingData, readLines } from './question-sets.ts'
import { passagesOf } from './wice/page.ts'
import { markOf, type Reader, readerNamed, verdictOn } from './wice/reading.ts'
import { type ReadClaim, scoreOf } from './wice/score.ts'

interface WiceClaim {
  readonly label: 'supported' | 'partially_supported' | 'not_supported'
  /** Sets of sentences, each of which supports what is supported of the claim. */
  readonly supporting_sentences: readonly (readonly number[])[]
  readonly claim: string
  /** The sentences of the page. */
  readonly evidence: readonly string[]
  readonly meta: { readonly id: string }
}

/** One line of `wice.jsonl`. */
interface Read extends ReadClaim {
  readonly id: string
  readonly label: WiceClaim['label']
  readonly why: string
  /** Of a yes: a passage that it names has a supporting sentence. */
  readonly isShown: boolean
}

const options = {
  reader: { type: 'string' },
  endpoint: { type: 'string' },
  every: { type: 'string', default: '1' },
  out: { type: 'string' },
  show: { type: 'boolean', default: false },
} as const

/** A claim that is partly supported counts as not supported. `--out` keeps verdicts, which are then not asked for again. */
export async function run(args: readonly string[]): Promise<void> {
  const { reader, endpoint, every, out, show } = parseArgs({ args: [...args], options }).values
  const name = reader ?? (endpoint === undefined ? null : 'openai:any')
  if (name === null) throw new MissingData('Name a reader: --reader openai:<name>.')
  const path = out === undefined ? null : join(out, 'wice.jsonl')
  const claims = oneIn(Number(every), readLines<WiceClaim>(join(dataFolder(), 'wice', 'dev.jsonl')))
  const read = await readerNamed(name, endpoint ?? null)
  if (out !== undefined) mkdirSync(out, { recursive: true })
  const verdicts = await readAll(claims, read, path)
  console.log(`exam: ${await markOf(read)} of 40`)
  if (show) for (const each of verdicts.filter(({ supported, said }) => supported !== said)) print(each)
  report(verdicts)
}

const AT_ONCE = 6

async function readAll(claims: readonly WiceClaim[], read: Reader, path: string | null): Promise<readonly Read[]> {
  const kept = path !== null && existsSync(path) ? readLines<Read>(path) : []
  const known = new Map(kept.map((each) => [each.id, each]))
  const waiting = claims.filter(({ meta }) => !known.has(meta.id))
  const all = waiting.length
  let done = 0
  const readNext = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const verdict = await readOne(next, read)
      known.set(verdict.id, verdict)
      if (path !== null) appendFileSync(path, `${JSON.stringify(verdict)}\n`)
      done += 1
      console.error(`${done} of ${all}: ${verdict.id}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, readNext))
  return claims.flatMap(({ meta }) => known.get(meta.id) ?? [])
}

async function readOne({ meta, claim, label, evidence, supporting_sentences }: WiceClaim, read: Reader): Promise<Read> {
  const passages = passagesOf(meta.id, evidence)
  const verdict = await verdictOn(
    claim,
    passages.map((each) => each.evidence),
    read,
  )
  const named = passages.filter((each) => verdict?.passages.includes(each.evidence.passage.id))
  const places = new Set(supporting_sentences.flat())
  return {
    id: meta.id,
    label,
    supported: label === 'supported',
    said: verdict?.holds ?? null,
    why: verdict === null || verdict.holds ? '' : verdict.why,
    isShown: named.some((each) => each.places.some((at) => places.has(at))),
  }
}

function report(verdicts: readonly Read[]): void {
  for (const label of ['supported', 'partially_supported', 'not_supported'] as const) {
    const own = verdicts.filter((each) => each.label === label)
    const [yes, no] = [true, false].map((said) => own.filter((each) => each.said === said).length)
    console.log(`${label.padEnd(22)}${yes} yes, ${no} no of ${own.length}`)
  }
  const { accuracy, f1Supported, f1Not } = scoreOf(verdicts)
  const figures = [accuracy, f1Supported, f1Not].map((figure) => figure.toFixed(3))
  console.log(`accuracy ${figures[0]}, F1 of supported ${figures[1]}, of not supported ${figures[2]}`)
  const right = verdicts.filter(({ supported, said }) => supported && said === true)
  console.log(
    `right yes that names a passage with a supporting sentence: ${right.filter(({ isShown }) => isShown).length} of ${right.length}`,
  )
}

function print({ id, label, said, why }: Read): void {
  console.log(`${id}: ${label}, said ${said === null ? 'nothing' : said ? 'yes' : `no: ${why}`}`)
}

// Sentences that others wrote, beside the web page that they cite (WiCE, development set): "quaero audit" over that page alone.
//   npm run bench -- audit --model openai:<name> [--endpoint <base URL>] [--from <n>] [--to <n>] [--data-dir <folder>] [--show]
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type AuditedSentence, createQuaero, type Quaero } from '../src/index.ts'
import { patient } from './drafts/ask.ts'
import { dataFolder, MissingData, readLines } from './question-sets.ts'
import { randomFrom } from './torture/processes.ts'
import { scoreOf } from './wice/score.ts'

interface WiceClaim {
  readonly label: 'supported' | 'partially_supported' | 'not_supported'
  readonly claim: string
  /** The sentences of the page. */
  readonly evidence: readonly string[]
  readonly meta: { readonly id: string }
}

const options = {
  model: { type: 'string' },
  endpoint: { type: 'string' },
  from: { type: 'string', default: '1' },
  to: { type: 'string', default: '80' },
  'data-dir': { type: 'string' },
  show: { type: 'boolean', default: false },
} as const

/** A data folder that is given keeps what was read: a second run over it pays nothing. */
export async function run(args: readonly string[]): Promise<void> {
  const { model, endpoint, from, to, show, 'data-dir': kept } = parseArgs({ args: [...args], options }).values
  if (model === undefined) throw new MissingData('Name a model: --model openai:<name>.')
  const dataDir = kept ?? mkdtempSync(join(tmpdir(), 'quaero-audit-'))
  const all = chosenOf(readLines<WiceClaim>(join(dataFolder(), 'wice', 'dev.jsonl')))
  const chosen = all.slice(Number(from) - 1, Number(to))
  const settings = {
    ...patient,
    endpoint: { ...patient.endpoint, ...(endpoint !== undefined && { baseUrl: endpoint }) },
  }
  const quaero = await createQuaero({ dataDir, settings, model })
  const read = []
  try {
    await addPages(quaero, all, dataDir)
    for (const each of chosen) {
      const request = { text: each.claim, documents: [pathOf(each, dataDir)] }
      const { sentences: found } = await quaero.audit(request)
      read.push({ supported: each.label === 'supported', said: saidBy(found) })
      const reason = found.map((sentence) => sentence.reason ?? '').join(' ')
      if (show) console.log(`${each.meta.id}: ${each.label}, ${found.map(({ state }) => state).join(', ')} ${reason}`)
      console.error(`${read.length} of ${chosen.length}`)
    }
  } finally {
    await quaero.close()
  }
  const { accuracy, f1Supported, f1Not } = scoreOf(read)
  const figures = [accuracy, f1Supported, f1Not].map((figure) => figure.toFixed(3))
  console.log(`${read.length} claims, ${read.filter(({ said }) => said === null).length} without a verdict`)
  console.log(`accuracy ${figures[0]}, F1 of supported ${figures[1]}, of not supported ${figures[2]}`)
}

const ofEach = 40

/** Supported and not supported claims in turn, the same each time. */
function chosenOf(claims: readonly WiceClaim[]): readonly WiceClaim[] {
  const next = randomFrom(1)
  const shuffled = claims.map((claim) => ({ claim, key: next() })).sort((one, other) => one.key - other.key)
  const of = (label: WiceClaim['label']) =>
    shuffled.flatMap(({ claim }) => (claim.label === label ? [claim] : [])).slice(0, ofEach)
  const not = of('not_supported')
  return of('supported').flatMap((claim, at) => [claim, ...not.slice(at, at + 1)])
}

/** Stores the pages before the first claim is read: which passages a search finds depends on what else there is. */
async function addPages(quaero: Quaero, claims: readonly WiceClaim[], dataDir: string): Promise<void> {
  mkdirSync(join(dataDir, 'pages'), { recursive: true })
  for (const each of claims) writeFileSync(pathOf(each, dataDir), each.evidence.join('\n'))
  await quaero.library.add([join(dataDir, 'pages')])
}

function pathOf({ meta }: WiceClaim, dataDir: string): string {
  return join(dataDir, 'pages', `${meta.id.replace(/\W+/g, '-')}.txt`)
}

/** A claim of several sentences is supported if all of them are; null if one was not read. */
function saidBy(sentences: readonly AuditedSentence[]): boolean | null {
  const checked = sentences.filter(({ state }) => state !== 'not checkable')
  if (checked.some(({ state }) => state === 'not supported')) return false
  return checked.length === 0 || checked.some(({ state }) => state === 'not read') ? null : true
}

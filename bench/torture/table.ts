/** Processes that are killed while they fill a table, and the table asked for again: which cells are paid twice. */
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Table } from '../../src/index.ts'
import type { Finding } from './finding.ts'
import {
  type Call,
  copyData,
  type Endpoint,
  type Job,
  randomFrom,
  startEndpoint,
  tidy,
  work,
  workshop,
} from './processes.ts'
import { logIn } from './snapshot.ts'

/** So long after the last byte of a reply a process is killed at most. Milliseconds. */
const killWithinMs = 40

const subjects = ['Marble', 'Halden', 'Slate', 'Ochre', 'Basalt', 'Umber']
const asked = ['How many pages', 'How many words', 'Which group', 'What year', 'Which licence']

/** Six documents in which each question finds passages, and others, so that the words of the questions are not common. */
const documents = Object.fromEntries([
  ...subjects.map((name, at) => [
    `${name.toLowerCase()}.md`,
    `# The ${name} corpus\n\nThe ${name} corpus holds ${at + 11}.1 million pages and ${at + 3} billion words. It was released in the year ` +
      `${2010 + at} by the ${name} group, under licence number ${at + 1}.\n`,
  ]),
  ...Array.from({ length: 30 }, (_, at) => [
    `other-${at}.md`,
    `# Garden ${at}\n\nPlum tree ${at} blooms beside bench ${at}.\n`,
  ]),
])
const cells = subjects.length * asked.length
/** One writes, one reads. */
const callsOfCell = 2

interface Case {
  readonly id: number
  /** After the reply to which call of the table, and how long after its last byte the process was killed. Milliseconds. */
  readonly after: number
  readonly ms: number
  readonly wasKilled: boolean
  /** Calls made again although the log said that they were finished. */
  readonly paidTwice: number
  /** Calls made again that were under way at the kill: being answered, or being stored. */
  readonly madeAgain: number
  /** Cells whose value or quotes differ from those of a table that nobody disturbed. */
  readonly differing: number
  /** Calls that the same table cost when it was asked for a third time. */
  readonly thirdTime: number
}

/** Kills a process at `runs` moments spread over all calls of a table. */
export async function tableFindings({ runs, seed }: { readonly runs: number; readonly seed: number }) {
  const { place, library } = await workshop(documents)
  const endpoint = await startEndpoint({ delayMs: 20, pieceMs: 1, opening: 'It is said that ' })
  const random = randomFrom(seed)
  try {
    const undisturbed = await fill(await jobIn(place, library, 0, endpoint))
    const calls = (await endpoint.journal(0)).length
    const cases: Case[] = []
    for (let id = 1; id <= runs; id += 1) {
      const after = Math.min(calls, 1 + Math.floor(((id - 1 + random()) * calls) / runs))
      const ms = random() * killWithinMs
      const job = await jobIn(place, library, id, endpoint)
      cases.push({ id, after, ms, ...(await killedAt(job, { id, after, ms }, endpoint, undisturbed)) })
      await tidy(job.folder)
    }
    return findingsOf(cases, calls)
  } finally {
    endpoint.close()
    await tidy(place)
  }
}

async function jobIn(place: string, library: string, id: number, endpoint: Endpoint): Promise<Job> {
  const folder = await copyData(library, join(place, `table-${id}`))
  const questions = asked.map((question) => `${question} of the corpus? (case-${id})`)
  return { do: 'table', folder, endpoint: endpoint.url, model: 'openai:scripted', questions }
}

/** Only the documents that hold answers are asked. */
async function fill(job: Job): Promise<Table> {
  const { report, stderr } = await work(job)
  const made = report as Table | { readonly failed: { readonly message: string } } | undefined
  if (made && 'rows' in made) return made
  throw new Error(`The table was not filled: ${made?.failed.message ?? stderr}`)
}

async function killedAt(
  job: Job,
  { id, after, ms }: Pick<Case, 'id' | 'after' | 'ms'>,
  endpoint: Endpoint,
  undisturbed: Table,
): Promise<Omit<Case, 'id' | 'after' | 'ms'>> {
  const { signal } = await work(job, {}, (child) => {
    endpoint.onEnded(id, after, () => {
      void wait(ms).then(() => child.kill('SIGKILL'))
    })
  })
  const before = await endpoint.journal(id)
  const log = await logIn(job.folder, `${job.folder}-log`, { skip: 0 })
  const again = await fill(job)
  const journal = await endpoint.journal(id)
  const third = await fill(job)
  return {
    wasKilled: signal === 'SIGKILL',
    ...paidAgain(before, journal, log.filter(({ type }) => type === 'model.completed').length),
    differing: valuesOf(again).filter((cell, at) => !isDeepStrictEqual(cell, valuesOf(undisturbed)[at])).length,
    thirdTime: (await endpoint.journal(id)).length - journal.length + (isDeepStrictEqual(third, again) ? 0 : 1),
  }
}

/** Each request of a table is another one: what is asked twice is one cell's. Of calls before the kill, so many are finished. */
function paidAgain(
  before: readonly Call[],
  journal: readonly Call[],
  finished: number,
): Pick<Case, 'paidTwice' | 'madeAgain'> {
  const repeated = journal.length - new Set(journal.map(({ hash }) => hash)).size
  const paidTwice = Math.max(0, repeated - (before.length - finished))
  return { paidTwice, madeAgain: repeated - paidTwice }
}

function valuesOf({ rows }: Table) {
  return rows.flatMap(({ documentId, cells: filled }) =>
    filled.map(({ value, state, quotes }) => ({
      documentId,
      value,
      state,
      quotes: quotes.map(({ page, start, end, text }) => ({ page, start, end, text })),
    })),
  )
}

function findingsOf(cases: readonly Case[], calls: number): readonly Finding[] {
  const killed = cases.filter(({ wasKilled }) => wasKilled).length
  const answered = cases.length * calls
  const sum = (of: (each: Case) => number) => cases.reduce((total, each) => total + of(each), 0)
  const zero = (what: string, all: string, of: (each: Case) => number): Finding => ({
    what,
    found: `${sum(of)} of ${all}`,
    ok: sum(of) === 0,
    details: cases
      .filter((each) => of(each) > 0)
      .map(({ id, after, ms }) => `case ${id}: killed ${ms.toFixed(1)} ms after the reply to call ${after}`),
  })
  return [
    {
      what: 'processes killed',
      found: `${killed} of ${cases.length}, each at a table of ${cells} cells`,
      ok: killed > cases.length / 2,
    },
    { what: 'calls of an undisturbed table', found: String(calls), ok: calls === cells * callsOfCell },
    zero('finished calls paid twice', `${answered} calls`, ({ paidTwice }) => paidTwice),
    zero(
      'cells with another value or quote than undisturbed',
      `${cases.length * cells} cells`,
      ({ differing }) => differing,
    ),
    zero('calls or changes when asked for a third time', `${cases.length} tables`, ({ thirdTime }) => thirdTime),
    {
      what: 'calls under way at a kill, made again',
      found: `${sum(({ madeAgain }) => madeAgain)} of ${answered}`,
      ok: true,
    },
  ]
}

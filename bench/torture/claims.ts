/** Processes that are killed while they fill a table or write a report, and the same asked for again: which calls are paid twice. */
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Report, Table } from '../../src/index.ts'
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

type Made = Table | Report
/** What is asked for, the calls that it takes, and the parts that are compared. */
const works = {
  // One writes, one reads.
  table: { calls: cells * 2, parts: cells, part: 'cells' },
  // The same for each question, after three that search, and for each section; one call looks for contradictions.
  report: { calls: cells * 5 + subjects.length * 2 + 1, parts: subjects.length, part: 'sections' },
} as const
type Work = keyof typeof works

interface Case {
  readonly id: number
  /** After the reply to which call, and how long after its last byte the process was killed. Milliseconds. */
  readonly after: number
  readonly ms: number
  readonly wasKilled: boolean
  /** Calls made again although the log said that they were finished. */
  readonly paidTwice: number
  /** Calls made again that were under way at the kill: being answered, or being stored. */
  readonly madeAgain: number
  /** Cells or sections whose words or quotes differ from those that nobody disturbed. */
  readonly differing: number
  /** Calls that the same cost when it was asked for a third time. */
  readonly thirdTime: number
}

/** Kills a process at `runs` moments spread over all calls of the work. */
export async function claimsFindings(what: Work, { runs, seed }: { readonly runs: number; readonly seed: number }) {
  const { place, library } = await workshop(documents)
  const endpoint = await startEndpoint({ delayMs: 20, pieceMs: 1, opening: 'It is said that ' })
  const random = randomFrom(seed)
  try {
    const undisturbed = await make(await jobIn(what, place, library, 0, endpoint))
    const calls = (await endpoint.journal(0)).length
    const cases: Case[] = []
    for (let id = 1; id <= runs; id += 1) {
      const after = Math.min(calls, 1 + Math.floor(((id - 1 + random()) * calls) / runs))
      const ms = random() * killWithinMs
      const job = await jobIn(what, place, library, id, endpoint)
      cases.push({ id, after, ms, ...(await killedAt(job, { id, after, ms }, endpoint, undisturbed)) })
      await tidy(job.folder)
    }
    return findingsOf(what, cases, calls)
  } finally {
    endpoint.close()
    await tidy(place)
  }
}

async function jobIn(what: Work, place: string, library: string, id: number, endpoint: Endpoint): Promise<Job> {
  const folder = await copyData(library, join(place, `${what}-${id}`))
  const model = 'openai:scripted'
  return { do: what, folder, endpoint: `${endpoint.url}/case-${id}`, model, subjects, questions: asked }
}

/** Only the documents that hold answers are asked. */
async function make(job: Job): Promise<Made> {
  const { report, stderr } = await work(job)
  const made = report as Made | { readonly failed: { readonly message: string } } | undefined
  if (made && !('failed' in made)) return made
  throw new Error(`It was not made: ${made?.failed.message ?? stderr}`)
}

async function killedAt(
  job: Job,
  { id, after, ms }: Pick<Case, 'id' | 'after' | 'ms'>,
  endpoint: Endpoint,
  undisturbed: Made,
): Promise<Omit<Case, 'id' | 'after' | 'ms'>> {
  const { signal } = await work(job, {}, (child) => {
    endpoint.onEnded(id, after, () => {
      void wait(ms).then(() => child.kill('SIGKILL'))
    })
  })
  const before = await endpoint.journal(id)
  const log = await logIn(job.folder, `${job.folder}-log`, { skip: 0 })
  const again = await make(job)
  const journal = await endpoint.journal(id)
  const third = await make(job)
  return {
    wasKilled: signal === 'SIGKILL',
    ...paidAgain(before, journal, log.filter(({ type }) => type === 'model.completed').length),
    differing: partsOf(again).filter((part, at) => !isDeepStrictEqual(part, partsOf(undisturbed)[at])).length,
    thirdTime: (await endpoint.journal(id)).length - journal.length + (isDeepStrictEqual(third, again) ? 0 : 1),
  }
}

/** Each request is another one: what is asked twice is one part's. Of calls before the kill, so many are finished. */
function paidAgain(
  before: readonly Call[],
  journal: readonly Call[],
  finished: number,
): Pick<Case, 'paidTwice' | 'madeAgain'> {
  const repeated = journal.length - new Set(journal.map(({ hash }) => hash)).size
  const paidTwice = Math.max(0, repeated - (before.length - finished))
  return { paidTwice, madeAgain: repeated - paidTwice }
}

function partsOf(made: Made): readonly unknown[] {
  const plain = (
    quotes: readonly { readonly page: number; readonly start: number; readonly end: number; readonly text: string }[],
  ) => quotes.map(({ page, start, end, text }) => ({ page, start, end, text }))
  if ('rows' in made) {
    return made.rows.flatMap(({ documentId, cells: filled }) =>
      filled.map(({ value, state, quotes }) => ({ documentId, value, state, quotes: plain(quotes) })),
    )
  }
  return made.sections.map(({ heading, paragraphs }) => {
    const sentences = paragraphs.flat().map(({ text, state, quotes }) => ({ text, state, quotes: plain(quotes) }))
    return { heading, sentences }
  })
}

function findingsOf(what: Work, cases: readonly Case[], calls: number): readonly Finding[] {
  const { parts, part, calls: wanted } = works[what]
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
      found: `${killed} of ${cases.length}, each at a ${what} of ${parts} ${part}`,
      ok: killed > cases.length / 2,
    },
    { what: `calls of an undisturbed ${what}`, found: String(calls), ok: calls === wanted },
    zero('finished calls paid twice', `${answered} calls`, ({ paidTwice }) => paidTwice),
    zero(
      `${part} with other words or quotes than undisturbed`,
      `${cases.length * parts} ${part}`,
      ({ differing }) => differing,
    ),
    zero('calls or changes when asked for a third time', `${cases.length} ${what}s`, ({ thirdTime }) => thirdTime),
    {
      what: 'calls under way at a kill, made again',
      found: `${sum(({ madeAgain }) => madeAgain)} of ${answered}`,
      ok: true,
    },
  ]
}

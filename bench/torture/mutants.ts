import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { endingWithUs } from '../../tests/fixtures/stop-after-us.ts'
import type { Finding, TortureOptions } from './finding.ts'
import { type Sound, soundDocuments } from './mutants/documents.ts'
import { mutate, pick } from './mutants/mutate.ts'
import { inLanes, randomFrom, tidy, workshop } from './processes.ts'

/** How a mutant went. */
interface Tried {
  readonly at: number
  readonly extension: string
  readonly status: string
  /** Why it was refused. */
  readonly code: string | null
  /** Longest time for which the main process could not attend to anything else. */
  readonly gapMs: number
  readonly rssMegabytes: number
}

type Outcome = Omit<Tried, 'at' | 'extension'>

/** Mutants that one process adds to one library. */
const atOnce = 250
/** A process that says nothing of a file for so long hangs: three times what the largest mutant may take. */
const patienceMs = 180_000
const mostGapMs = 100
const mostMegabytes = 300

/** Adds `runs` damaged files of every format to libraries: each is read or refused, and costs the main process little. */
export async function mutantFindings(options: TortureOptions): Promise<readonly Finding[]> {
  const { runs, seed, lanes, only } = options
  const { place } = await workshop()
  try {
    const sound = await soundDocuments()
    const all = only === undefined ? Array.from({ length: runs }, (_, at) => at) : [only]
    const parts = Array.from({ length: Math.ceil(all.length / atOnce) }, (_, at) =>
      all.slice(at * atOnce, (at + 1) * atOnce),
    )
    const tried: Tried[] = []
    const damaged: string[] = []
    await inLanes(parts, lanes, async (part) => {
      const folder = join(place, `${part[0]}`)
      await mkdir(folder)
      damaged.push(...(await addPart(part, { folder, seed, sound, tell: (one) => tried.push(one) })))
      await tidy(folder)
      console.error(`${tried.length} of ${all.length} mutants, seed ${seed}`)
    })
    return [
      { what: 'mutants', found: `${tried.length}, seed ${seed}`, ok: tried.length === all.length },
      ...[...sound.keys()].map((extension) =>
        findingOf(
          extension,
          tried.filter((each) => each.extension === extension),
          seed,
        ),
      ),
      { what: 'damaged libraries', found: `${damaged.length}`, ok: damaged.length === 0, details: damaged },
    ]
  } finally {
    await tidy(place)
  }
}

interface Part {
  readonly folder: string
  readonly seed: number
  readonly sound: ReadonlyMap<string, readonly Sound[]>
  readonly tell: (tried: Tried) => void
}

/** Returns what is wrong with the library in the end. A process that ends or hangs is followed by another one. */
async function addPart(numbers: readonly number[], { folder, seed, sound, tell }: Part): Promise<readonly string[]> {
  let child = startProcess(folder)
  for (const at of numbers) {
    const random = randomFrom(seed * 1_000_003 + at)
    const chosen = pick(sound.get(pick([...sound.keys()], random)) ?? [], random)
    const path = join(folder, `${at}${chosen.extension}`)
    await writeFile(path, await mutate(chosen, [...sound.values()].flat(), random))
    const outcome = await ask<Outcome>(child, { path })
    if (typeof outcome === 'string') child = startProcess(folder)
    const lost = { status: `${outcome}`, code: null, gapMs: 0, rssMegabytes: 0 }
    tell({ at, extension: chosen.extension, ...(typeof outcome === 'string' ? lost : outcome) })
    await rm(path)
  }
  const ended = await ask<{ readonly integrity: string }>(child, {})
  if (typeof ended === 'string') return [`${numbers[0]}: the process ${ended}`]
  return ended.integrity === 'ok' ? [] : [`${numbers[0]}: ${ended.integrity}`]
}

function startProcess(folder: string): ChildProcess {
  const program = join(import.meta.dirname, 'processes', 'add-mutants.mjs')
  return endingWithUs(fork(program, [JSON.stringify({ folder })], { execArgv: [], env: { PATH: process.env.PATH } }))
}

/** What the process replies; in words, if it ended or did not reply in time. */
async function ask<T extends object>(child: ChildProcess, message: object): Promise<T | 'crashed' | 'hung'> {
  const over = new AbortController()
  const patience = AbortSignal.any([over.signal, AbortSignal.timeout(patienceMs)])
  try {
    child.send(message)
    return await Promise.race([
      once(child, 'message', { signal: patience }).then(([reply]) => reply as T),
      once(child, 'exit', { signal: patience }).then(() => 'crashed' as const),
    ])
  } catch {
    child.kill('SIGKILL')
    return child.exitCode === null ? 'hung' : 'crashed'
  } finally {
    over.abort()
  }
}

/** What refuses a file without an end or a limit of its reader. */
const fine = new Set(['added', 'unchanged', 'updated', 'failed'])

function findingOf(extension: string, tried: readonly Tried[], seed: number): Finding {
  const most = (of: (each: Tried) => number) => Math.round(Math.max(0, ...tried.map(of)))
  const lost = tried.filter(({ status }) => !fine.has(status))
  const [gapMs, megabytes] = [most((each) => each.gapMs), most((each) => each.rssMegabytes)]
  const costly = tried.filter((each) => each.gapMs > mostGapMs || each.rssMegabytes > mostMegabytes)
  const refused = tried.filter(({ status }) => status === 'failed')
  const ended = refused.filter(({ code }) => code === 'reader_crashed' || code === 'over_budget').length
  return {
    what: `${extension.slice(1)} mutants`,
    found:
      `${tried.length}: ${tried.length - refused.length - lost.length} read, ${refused.length} refused, of these ${ended} by a limit; ` +
      `${lost.length} crashes or hangs; gap ${gapMs} of ${mostGapMs} ms, memory ${megabytes} of ${mostMegabytes} MB`,
    ok: lost.length === 0 && costly.length === 0,
    details: [...lost, ...costly].map(
      (each) =>
        `--seed ${seed} --only ${each.at}: ${each.status}, ${Math.round(each.gapMs)} ms, ${Math.round(each.rssMegabytes)} MB`,
    ),
  }
}

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Finding, TortureOptions } from './finding.ts'
import { inLanes, randomFrom, tidy, work, workshop } from './processes.ts'

export interface AddReport {
  readonly kills: number
  /** Files that were reported as added before their process was killed. */
  readonly acknowledged: number
  /** Of these, files that the next process did not list, or whose text was not whole. */
  readonly missing: readonly string[]
  /** Libraries that the next process found damaged. */
  readonly damaged: readonly string[]
}

const filesAtOnce = 30
/** Milliseconds after the first acknowledgement within which the process is killed. */
const longestLife = 2000

/** Kills processes that add files, until `runs` files were acknowledged, and looks for these in the libraries. */
export async function killAdds({
  runs,
  seed,
  lanes,
}: Pick<TortureOptions, 'runs' | 'seed' | 'lanes'>): Promise<AddReport> {
  const { place } = await workshop()
  try {
    const total = { kills: 0, acknowledged: 0, missing: [] as string[], damaged: [] as string[] }
    let next = 0
    const lane = async () => {
      while (total.acknowledged < runs) {
        const id = seed * 100_000 + next
        next += 1
        const { acknowledged, missing, damaged, wasKilled } = await killOne(join(place, `${id}`), id)
        total.kills += wasKilled ? 1 : 0
        total.acknowledged += wasKilled ? acknowledged : 0
        total.missing.push(...missing)
        total.damaged.push(...damaged)
        console.error(`${total.acknowledged} of ${runs}, ${total.missing.length} missing`)
      }
    }
    await inLanes(Array.from({ length: lanes }), lanes, lane)
    return total
  } finally {
    await tidy(place)
  }
}

/** Adds files twice over: the second process meets what the first one left when it was killed. */
async function killOne(folder: string, id: number) {
  const random = randomFrom(id)
  const files = await writeFiles(folder, id, random)
  const job = { program: 'add-files.mjs', folder, files, endpoint: '' }
  const acknowledged = new Map<string, string>()
  let wasKilled = false
  for (let time = 0; time < 2; time += 1) {
    const delay = random() * longestLife
    const added = await work({ ...job, do: 'add' }, {}, (child) => {
      child.stderr?.once('data', () => setTimeout(() => child.kill('SIGKILL'), delay))
    })
    if (added.signal === 'SIGKILL') wasKilled = true
    for (const line of added.stderr.split('\n').slice(0, -1)) {
      const [documentId, path] = JSON.parse(line) as [string, string]
      acknowledged.set(documentId, path)
    }
  }
  const { report, stderr } = await work({ ...job, do: 'list' })
  if (report === undefined) throw new Error(`case ${id}: the library could not be listed: ${stderr}`)
  const listed = report as Listed
  const missing = await missingIn(listed, acknowledged)
  await tidy(folder)
  return {
    acknowledged: acknowledged.size,
    missing: missing.map((each) => `case ${id}: ${each}`),
    damaged: listed.integrity === 'ok' ? [] : [`case ${id}: ${listed.integrity}`],
    wasKilled,
  }
}

/** Short files, and some long ones that are stored in several batches. */
async function writeFiles(folder: string, id: number, random: () => number): Promise<string> {
  const files = join(folder, 'files')
  await mkdir(files, { recursive: true })
  for (let at = 0; at < filesAtOnce; at += 1) {
    const rest = 'More words follow. '.repeat(random() < 0.2 ? 20_000 : 20)
    await writeFile(join(files, `${at}.txt`), `File ${at} of case ${id}.\n\n${rest}`)
  }
  return files
}

/** Acknowledged files that are not listed, or whose first line is not there. */
async function missingIn({ found }: Listed, acknowledged: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const stored = new Map(found)
  const missing: string[] = []
  for (const [documentId, path] of acknowledged) {
    const [first = ''] = (await readFile(path, 'utf8')).split('\n')
    if (!stored.get(documentId)?.startsWith(first)) missing.push(`${path} (${documentId})`)
  }
  return missing
}

interface Listed {
  readonly found: readonly (readonly [string, string])[]
  readonly integrity: string
}

/** The same as a table. */
export async function addFindings(options: TortureOptions): Promise<readonly Finding[]> {
  const { kills, acknowledged, missing, damaged } = await killAdds(options)
  return [
    { what: 'cases with a kill', found: String(kills), ok: kills > 0 },
    {
      what: 'acknowledged files in the next list',
      found: `${acknowledged - missing.length} of ${acknowledged}`,
      ok: missing.length === 0,
      details: missing,
    },
    { what: 'damaged libraries', found: String(damaged.length), ok: damaged.length === 0, details: damaged },
  ]
}

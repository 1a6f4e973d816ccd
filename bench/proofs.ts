// Tables and digests over real papers as files of all forms: does `verify` find a changed digit in each, and whatever else can be done to
// a file, and let the untouched stand, as other programs save them too?
//   npm run bench -- proofs [--files 200] [--seed 1] [--show]
import { cpSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createQuaero, type Quaero, reportFile, tableFile, UsageError, verifyFile } from '../src/index.ts'
import { digitsOf } from '../tests/fixtures/changed-digits.ts'
import { tamperedWith, untouchedAs } from '../tests/fixtures/tampered-files.ts'
import { dataFolder, readLines } from './question-sets.ts'
import { randomFrom } from './torture/processes.ts'

const papers = ['s2orc.pdf', 'longeval.pdf', 'megastore.pdf', 'scibert-1page.pdf']
const formats = ['xlsx', 'md', 'html', 'json'] as const
type Format = (typeof formats)[number] | 'docx' | 'tex'

interface Exported {
  readonly name: string
  readonly format: Format
  readonly bytes: Uint8Array
  /** A file without any value proves nothing. */
  readonly hasValue: boolean
}

const columnsOfFile = 3

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      files: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
      show: { type: 'boolean' },
    },
  })
  const random = randomFrom(Number(values.seed))
  const folder = mkdtempSync(join(tmpdir(), 'quaero-proofs-'))
  const [here, there] = [join(folder, 'here'), join(folder, 'there')]
  for (const name of papers)
    for (const place of [here, there]) cpSync(join(dataFolder(), 'pdf', name), join(place, name))
  const asked = await createQuaero({ dataDir: ':memory:', model: 'extractive', documents: [here] })
  const other = await createQuaero({ dataDir: ':memory:', model: 'extractive', documents: [there] })
  try {
    const files = await exportsOf(asked, Number(values.files), random)
    const digests = await digestsOf(asked)
    const untouched = await wrongOf([...files, ...digests], other, async (file, at) => {
      const { format, bytes, hasValue } = file
      const copies = at % 2 === 1 ? await untouchedAs(format, bytes) : []
      const [says, copy] = copies[Math.floor(random() * copies.length)] ?? ['as it is', bytes]
      return { bytes: copy, says, stands: hasValue }
    })
    const tampered = await wrongOf(files, other, async (file, at) => {
      const { bytes, isInProof } = await withChangedDigit(file, Math.floor(at / formats.length) % 2 === 1, random)
      return { bytes, says: isInProof ? 'a digit of its proof' : 'a digit of what it shows', stands: false }
    })
    const attacked = await attackedIn([...files.filter(({ hasValue }) => hasValue), ...digests], other)
    print('changed digits not found', tampered, values.show)
    print('other changes not found', attacked, values.show)
    print('untouched files called false', untouched, values.show)
    if ([tampered, attacked, untouched].some(({ wrong }) => wrong.length > 0)) process.exitCode = 1
  } finally {
    await Promise.all([asked.close(), other.close()])
    await rm(folder, { recursive: true })
  }
}

interface Given {
  readonly bytes: Uint8Array
  readonly says: string
  /** Whether it should. */
  readonly stands: boolean
}

interface Outcome {
  /** How many files there were, by what was done to them. */
  readonly counts: ReadonlyMap<string, number>
  readonly wrong: readonly string[]
}

async function wrongOf(
  files: readonly Exported[],
  quaero: Quaero,
  given: (file: Exported, at: number) => Promise<Given>,
): Promise<Outcome> {
  const counts = new Map<string, number>()
  const wrong: string[] = []
  for (const [at, file] of files.entries()) {
    const { bytes, says, stands: wanted } = await given(file, at)
    counts.set(says, (counts.get(says) ?? 0) + 1)
    if ((await stands({ ...file, bytes }, quaero)) !== wanted) wrong.push(`${file.name}, ${says}`)
  }
  return { counts, wrong }
}

/** Whatever can be done to a file, done to the first of each form. */
async function attackedIn(files: readonly Exported[], quaero: Quaero): Promise<Outcome> {
  const counts = new Map<string, number>()
  const wrong: string[] = []
  for (const file of files.filter(({ format }, at) => files.findIndex((each) => each.format === format) === at)) {
    const { format } = file
    for (const [what, bytes] of await tamperedWith(format, file.bytes)) {
      counts.set(format, (counts.get(format) ?? 0) + 1)
      if (await stands({ ...file, bytes }, quaero)) wrong.push(`${format}, ${what}`)
    }
  }
  return { counts, wrong }
}

function print(what: string, { counts, wrong }: Outcome, isShown = false): void {
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const each = Array.from(counts, ([says, count]) => `${says}: ${count}`).join('; ')
  console.log(`${what}: ${wrong.length} of ${all} (${each})`)
  if (isShown) for (const name of wrong) console.log(`  ${name}`)
}

/** Tables of a few questions each, in all forms by turns; each cell is asked once. */
async function exportsOf(quaero: Quaero, count: number, random: () => number): Promise<readonly Exported[]> {
  const questions = questionsAsked()
  const files: Exported[] = []
  for (let number = 1; number <= count; number += 1) {
    const from = Math.floor(random() * (questions.length - columnsOfFile))
    const table = await quaero.table({ columns: questions.slice(from, from + columnsOfFile) }).result()
    const format = formats[number % formats.length] ?? 'md'
    const hasValue = table.rows.some(({ cells }) => cells.some(({ value }) => value !== null))
    const bytes = bytesOf(await tableFile(table, format))
    files.push({ name: `table ${number}, questions from ${from + 1}, ${format}`, format, bytes, hasValue })
  }
  return files
}

/** A digest as the forms that only a report has. */
async function digestsOf(quaero: Quaero): Promise<readonly Exported[]> {
  const outline = { title: 'Papers', sections: [{ heading: 'Sizes', questions: questionsAsked().slice(0, 8) }] }
  const report = await quaero.writeReport({ question: 'How large are they?', outline }).result()
  const documents = await quaero.library.list()
  const files = (['docx', 'tex'] as const).map(async (format) => {
    const bytes = bytesOf(await reportFile(report, format, { documents }))
    return { name: `digest, ${format}`, format, bytes, hasValue: true }
  })
  return Promise.all(files)
}

function questionsAsked(): readonly string[] {
  const all = readLines<{ question: string; type: string }>(join(dataFolder(), 'pdf-qa.jsonl'))
  return all.filter(({ type }) => type === 'text' || type === 'table').map(({ question }) => question)
}

function bytesOf(written: string | Uint8Array): Uint8Array {
  return typeof written === 'string' ? new TextEncoder().encode(written) : written
}

async function withChangedDigit({ format, bytes }: Exported, wantsProof: boolean, random: () => number) {
  const digits = await digitsOf(format, bytes)
  const places = Array.from({ length: digits.count }, (_, place) => place)
  const wanted = places.filter((place) => digits.isInProof(place) === wantsProof)
  const chosen = wanted.length > 0 ? wanted : places
  const place = chosen[Math.floor(random() * chosen.length)] ?? 0
  return { bytes: await digits.changed(place, 1 + Math.floor(random() * 9)), isInProof: digits.isInProof(place) }
}

/** A file that cannot be verified at all does not stand. */
function stands({ format, bytes }: Exported, { library }: Quaero): Promise<boolean> {
  return verifyFile(`table.${format}`, bytes, library).then(
    (verified) => verified.stands,
    (error: unknown) => {
      if (error instanceof UsageError) return false
      throw error
    },
  )
}

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Quaero } from '../src/api.ts'
import { loadConfig } from '../src/config.ts'
import { createQuaero } from '../src/quaero.ts'
import { patient } from './drafts/ask.ts'
import { type KeptReplies, readerOptions, repliesBy } from './kept-replies.ts'
import type { Case } from './styles/case.ts'
import { type ScriptedEndpoint, scriptedEndpoint } from './styles/endpoint.ts'
import { allCases } from './styles/expand.ts'
import { type Judged, judged, printCase, printFigures, printStates } from './styles/report.ts'

const options = {
  aside: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  ...readerOptions,
  part: { type: 'string', default: '1' },
  seed: { type: 'string', default: '1' },
} as const

/**
 * What becomes of answers in the styles that language models write, true ones and false ones. Each runs through the whole
 * workflow, with a model that says what it is given. Without a reader, each sentence whose quote stands is to be quoted, and
 * only a page's own words and right formulas are verified; prints the states of true and false sentences.
 *
 * `--reader openai:<model>`, at OPENAI_BASE_URL, or a base URL: reads each draft a second time, however slow it is; prints how
 * many true ones were kept and how many false ones were caught. `--out <folder>` keeps its replies, so that what was answered
 * is not asked again; `--kept` asks nothing more. `--aside`: the other half, figures only. `--part <n>`: of a half every nth
 * case, drawn with `--seed`. `--only <text>`: styles, classes and files with this in their name.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options })
  const { aside, only, part, seed } = values
  const half = allCases().filter(
    ({ isAside, group, document }) => isAside === aside && (group.includes(only) || document.file.includes(only)),
  )
  const cases = drawn(half, Number(part), Number(seed))
  const reader = repliesBy(values)
  const all = await askSideBySide(cases, reader)
  if (!aside) for (const each of all) if (!each.isRight && each.isRead && (reader || each.asked.isTrue)) printCase(each)
  if (reader) printFigures(aside ? 'put aside' : 'development', all, !aside)
  printStates(all)
}

/** One in so many of the true cases, and of the false ones, in an order that the seed decides. */
function drawn(cases: readonly Case[], part: number, seed: number): readonly Case[] {
  if (part <= 1) return cases
  let state = seed
  const next = () => {
    state = (state * 48_271) % 2_147_483_647
    return state
  }
  const shuffled = cases.map((each) => ({ each, key: next() })).sort((one, other) => one.key - other.key)
  return [true, false].flatMap((isTrue) => {
    const kind = shuffled.filter(({ each }) => each.isTrue === isTrue)
    return kind.slice(0, Math.ceil(kind.length / part)).map(({ each }) => each)
  })
}

/** So many at a time, for a reader that answers several requests at once. */
const lanes = 8

async function askSideBySide(cases: readonly Case[], reader: KeptReplies | null): Promise<readonly Judged[]> {
  const count = reader === null ? 1 : lanes
  const parts = Array.from({ length: count }, (_, lane) => cases.filter((_, at) => at % count === lane))
  return (await Promise.all(parts.filter(({ length }) => length > 0).map((part) => askAll(part, reader)))).flat()
}

async function askAll(cases: readonly Case[], reader: KeptReplies | null): Promise<readonly Judged[]> {
  const endpoint = await scriptedEndpoint(reader)
  const answer = { secondReading: reader === null ? 'never' : 'doubtful', readerMark: 0, repair: false } as const
  const config = loadConfig({
    env: { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'none' },
    overrides: { research: 'thorough', answer, ...patient },
  })
  const quaero = await createQuaero({ config, dataDir: ':memory:', model: 'openai:scripted' })
  try {
    const { documents } = await quaero.library.add([join(import.meta.dirname, 'styles', 'documents')])
    const idOf = (file: string) => documents.find(({ path }) => path.endsWith(`/${file}`))?.documentId ?? ''
    const all: Judged[] = []
    for (const each of cases) all.push(await ask(each, idOf(each.document.file), quaero, endpoint))
    return all
  } finally {
    await quaero.close()
    await endpoint.close()
  }
}

async function ask(each: Case, documentId: string, quaero: Quaero, endpoint: ScriptedEndpoint): Promise<Judged> {
  const { question, draft } = each
  const quotes = Array.from(draft.matchAll(/\{\{(?:##|#|=|)([^}]+)\}\}/g), ([, quote = '']) => quote)
  endpoint.play({ question, queries: [...new Set([question, ...quotes])], draft })
  const result = await quaero.ask(question, { documentIds: [documentId] })
  return judged(each, result, endpoint.said())
}

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Quaero } from '../src/api.ts'
import { loadConfig } from '../src/config.ts'
import { createQuaero } from '../src/quaero.ts'
import type { Case } from './styles/case.ts'
import { type ScriptedEndpoint, scriptedEndpoint } from './styles/endpoint.ts'
import { allCases } from './styles/expand.ts'
import { type Judged, judged, printCase, printEffect, printFigures, printReread } from './styles/report.ts'

const options = {
  aside: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  reader: { type: 'string' },
} as const

/**
 * What becomes of answers in the styles that language models write: true ones should be shown with citations, false ones
 * should not be shown as verified. Each runs through the whole workflow, with a model that says what it is given and
 * repeats it when asked to repair. Prints each case of the development half that went wrong, and figures. `--aside`: the
 * other half, figures only. `--only <text>`: styles, classes and files with this in their name.
 *
 * `--reader <base URL>`: the drafts of which a sentence would be read a second time are asked about once more, with that
 * endpoint for the second readings, however slow it is; prints kept and caught before and after. */
export async function run(args: readonly string[]): Promise<void> {
  const { aside, only, reader } = parseArgs({ args: [...args], options }).values
  const cases = allCases().filter(
    ({ isAside, group, document }) => isAside === aside && (group.includes(only) || document.file.includes(only)),
  )
  const name = aside ? 'put aside' : 'development'
  const before = await askAll(cases)
  const all = reader === undefined ? before : await withReader(before, reader)
  if (!aside) for (const each of all) if (!each.isRight) printCase(each)
  printFigures(name, all, !aside)
  if (!aside || reader !== undefined) printReread(before)
  if (reader !== undefined) printEffect(name, before, all)
}

async function withReader(before: readonly Judged[], reader: string): Promise<readonly Judged[]> {
  const doubtful = before.filter(({ reread }) => reread.length > 0).map(({ asked }) => asked)
  const again = await askSideBySide(doubtful, reader)
  return before.map((each) => again.find(({ asked }) => asked === each.asked) ?? each)
}

/** So many at a time, for a reader that answers several requests at once. */
const lanes = 8

async function askSideBySide(cases: readonly Case[], reader: string): Promise<readonly Judged[]> {
  const parts = Array.from({ length: lanes }, (_, lane) => cases.filter((_, at) => at % lanes === lane))
  return (await Promise.all(parts.filter(({ length }) => length > 0).map((part) => askAll(part, reader)))).flat()
}

const patient = {
  limits: { wallClockSeconds: null },
  endpoint: { headersTimeoutSeconds: 1e6, idleTimeoutSeconds: 1e6 },
}

async function askAll(cases: readonly Case[], reader: string | null = null): Promise<readonly Judged[]> {
  const endpoint = await scriptedEndpoint(reader)
  const config = loadConfig({
    env: { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'none' },
    // Without a reader each second reading finds nothing wrong: the checks by words decide.
    overrides: { research: 'thorough', answer: { secondReading: 'doubtful' }, ...patient },
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

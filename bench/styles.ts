import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Quaero } from '../src/api.ts'
import { loadConfig } from '../src/config.ts'
import { createQuaero } from '../src/quaero.ts'
import type { Case } from './styles/case.ts'
import { type ScriptedEndpoint, scriptedEndpoint } from './styles/endpoint.ts'
import { allCases } from './styles/expand.ts'
import { type Judged, judged, printCase, printFigures } from './styles/report.ts'

const options = { aside: { type: 'boolean', default: false }, only: { type: 'string', default: '' } } as const

/**
 * What becomes of answers in the styles that language models write: true ones should be shown with citations, false ones
 * should not be shown as verified. Each runs through the whole workflow, with a model that says what it is given and
 * repeats it when asked to repair. Prints each case of the development half that went wrong, and figures. `--aside`: the
 * other half, figures only. `--only <text>`: styles, classes and files with this in their name.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { aside, only } = parseArgs({ args: [...args], options }).values
  const cases = allCases().filter(
    ({ isAside, group, document }) => isAside === aside && (group.includes(only) || document.file.includes(only)),
  )
  const all = await askAll(cases)
  if (!aside) for (const each of all) if (!each.isRight) printCase(each)
  printFigures(aside ? 'put aside' : 'development', all, !aside)
}

async function askAll(cases: readonly Case[]): Promise<readonly Judged[]> {
  const endpoint = await scriptedEndpoint()
  const config = loadConfig({
    env: { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'none' },
    overrides: { research: 'thorough' },
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

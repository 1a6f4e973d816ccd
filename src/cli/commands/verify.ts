import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Argument, Option } from 'commander'
import { PathNotFound } from '../../errors.ts'
import type { VerifiedFile } from '../../index.ts'
import type { CommandModule } from '../command/command.ts'
import { jsonOption, quietOption } from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { plainLine } from '../output/plain-text.ts'
import { pluralOf } from '../output/table.ts'
import { print, printJson } from '../output/terminal.ts'
import { addDocuments } from '../shared/add-documents.ts'
import { describeFallen } from '../shared/describe-claims.ts'
import { readNamed } from '../shared/files.ts'

interface VerifyFlags {
  readonly file: string
  readonly documents?: readonly string[] | undefined
}

export const verify: CommandModule<VerifyFlags> = {
  name: 'verify',
  description:
    'find every quote of a table, a report or an answer in its documents again\n' +
    'use no model, no network and no library; exit with 1 if one does not stand',
  arguments: [
    new Argument(
      '<file>',
      'what "quaero table -o", "quaero report -o" or "quaero ask --json" wrote: .xlsx, .docx, .md, .html, .tex or .json',
    ),
  ],
  options: [
    new Option('-d, --documents <path...>', 'where the documents lie; where the file says they were, if absent'),
    jsonOption(),
    quietOption(),
  ],
  examples: ['verify table.xlsx -d ./papers', 'verify report.docx', 'verify answer.json --json'],
  async run({ input: { signal }, output, config }, { file, documents, json, quiet }) {
    const bytes = await readNamed(file)
    // Loaded here, since other commands begin without it.
    const { createQuaero, loadConfig } = await import('../../index.ts')
    const { lookUp, readProven } = await import('../../claims/verify/verify-file.ts')
    const proven = readProven(file, bytes)
    const named = [...new Set(proven.claims.flatMap(({ quotes }) => quotes.map(({ source }) => source)))]
    const sources = documents ?? named.flatMap((source) => foundAt(source, file) ?? [])
    // A library in memory, of these documents alone; nothing that the settings or the environment name is connected to.
    const alone = loadConfig({ env: {}, overrides: { library: config().settings.library } })
    const quaero = await createQuaero({ dataDir: ':memory:', model: 'extractive', config: alone })
    try {
      if (sources.length > 0) await addDocuments(quaero, sources, output, { quiet, signal })
      const verified = await lookUp(proven, quaero.library, signal)
      if (isLost(verified) && verified.changes.length === 0) throw new PathNotFound(lost(file, named))
      if (json) printJson(output, verified)
      else print(output, describe(file, verified))
      return verified.stands ? exitCodes.ok : exitCodes.failed
    } finally {
      await quaero.close()
    }
  },
}

/** Where a document lies by the path that the file names: seen from the file, else from here. A proof may name anything. */
function foundAt(source: string, file: string): string | undefined {
  const places = [resolve(dirname(file), source), resolve(source)]
  return places.find((place) => existsSync(place) && statSync(place).isFile())
}

/** Whether none of the quoted documents was found. */
function isLost({ claims }: VerifiedFile): boolean {
  const quotes = claims.flatMap((each) => each.quotes)
  return quotes.length > 0 && quotes.every(({ change }) => change === 'document gone')
}

function lost(file: string, named: readonly string[]): string {
  const rest = named.length > 3 ? ` and ${named.length - 3} more` : ''
  return `None of the documents that ${file} quotes was found: ${named
    .slice(0, 3)
    .map((each) => each.slice(0, 200))
    .join(', ')}${rest}. Say where they lie: -d <path>`
}

function describe(file: string, verified: VerifiedFile): string {
  const { stands, changes, claims } = verified
  const quotes = claims.flatMap((each) => each.quotes)
  if (stands) return `${file}: ${pluralOf(claims.length, 'claim')} with ${pluralOf(quotes.length, 'quote')}: all stand.`
  const fallen = isLost(verified) ? [] : claims.filter((each) => !each.stands)
  const found = `${file}: ${foundOf(verified, fallen.length)}${changes.length > 0 ? ', but the file was changed' : ''}.`
  return [found, ...changes.map(plainLine), ...fallen.map(describeFallen)].join('\n\n')
}

function foundOf(verified: VerifiedFile, fallen: number): string {
  const { claims } = verified
  if (claims.every(({ quotes }) => quotes.length === 0)) return 'nothing to prove, since it has no claim with a quote'
  if (isLost(verified)) return 'its claims cannot be looked up, since none of its documents was found (-d <path>)'
  return fallen === 0
    ? 'its claims stand'
    : `${fallen} of ${pluralOf(claims.length, 'claim')} ${fallen === 1 ? 'does' : 'do'} not stand`
}

import { existsSync } from 'node:fs'
import { Argument, Option } from 'commander'
import type { VerifiedFile } from '../../index.ts'
import type { CommandModule } from '../command/command.ts'
import { jsonOption, quietOption } from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
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
    const { sourcesOf, verifyFile } = await import('../../claims/verify/verify-file.ts')
    const named = await sourcesOf(file, bytes)
    const sources = documents ?? named.filter((path) => existsSync(path))
    // A library in memory, of these documents alone; nothing that the settings or the environment name is connected to.
    const alone = loadConfig({ env: {}, overrides: { library: config().settings.library } })
    const quaero = await createQuaero({ dataDir: ':memory:', model: 'extractive', config: alone })
    try {
      if (sources.length > 0) await addDocuments(quaero, sources, output, { quiet, signal })
      const verified = await verifyFile(file, bytes, quaero.library)
      if (json) printJson(output, verified)
      else print(output, describe(file, verified))
      return verified.stands ? exitCodes.ok : exitCodes.failed
    } finally {
      await quaero.close()
    }
  },
}

function describe(file: string, { stands, changes, claims }: VerifiedFile): string {
  const quotes = claims.flatMap((each) => each.quotes)
  const fallen = claims.filter((each) => !each.stands)
  const lines = [...changes, ...fallen.map(describeFallen)]
  if (stands) return `${file}: ${pluralOf(claims.length, 'claim')} with ${pluralOf(quotes.length, 'quote')}: all stand.`
  const count =
    fallen.length === 0
      ? 'its claims stand'
      : `${fallen.length} of ${pluralOf(claims.length, 'claim')} ${fallen.length === 1 ? 'does' : 'do'} not stand`
  return [`${file}: ${count}${changes.length > 0 ? ', but the file was changed' : ''}.`, ...lines].join('\n\n')
}

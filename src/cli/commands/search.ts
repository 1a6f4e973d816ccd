import { Argument, Option } from 'commander'
import type { AlsoFound, Passage, Quaero, SearchHit } from '../../index.ts'
import { hasPages } from '../../library/port/document.ts'
import { type CommandModule, withEngine } from '../command/command.ts'
import { collect, jsonOption, wholeNumber } from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { plainLine } from '../output/plain-text.ts'
import { pluralOf } from '../output/table.ts'
import { type Input, type Output, print, printJson, tell } from '../output/terminal.ts'

export interface SearchFlags {
  readonly query: string
  /** How many passages. */
  readonly k?: number | undefined
  /** Ids of documents, their beginnings, or file names. */
  readonly document?: readonly string[] | undefined
  readonly wider?: boolean | undefined
  /** How many passages before and after each. */
  readonly context?: number | undefined
  readonly json?: boolean | undefined
}

/** `quaero search`: the passages that match best, without any model. */
export async function runSearch(quaero: Quaero, _: Input, output: Output, flags: SearchFlags): Promise<number> {
  const { query, k, document, wider, context } = flags
  const hits = await quaero.library.search(query, {
    ...(k !== undefined && { limit: k }),
    ...(document && { documents: document }),
    ...(wider && { wider }),
    ...(context !== undefined && { context }),
  })
  if (flags.json) printJson(output, hits)
  else if (hits.length > 0) print(output, hits.map(describeHit).join('\n\n'))
  else
    tell(output, `Nothing found in ${pluralOf(document?.length ?? (await quaero.library.list()).length, 'document')}.`)
  return exitCodes.ok
}

function describeHit(hit: SearchHit): string {
  const { rank, score, title, source, section, text, before = [], after = [], also } = hit
  const place = [title ?? source, section, pageOf(hit)].filter((part) => part !== null).join(', ')
  const lines = [
    `${rank}. ${plainLine(place)} (${score.toFixed(2)})`,
    ...before.map(describeNeighbour),
    text.trim(),
    ...after.map(describeNeighbour),
    ...(also.length > 0 ? [`Also in ${also.map(describeOther).join('; ')}`] : []),
  ]
  return lines.join('\n')
}

/** Told apart from what was found by a bar at its lines. */
function describeNeighbour({ text }: Passage): string {
  return text.trim().replace(/^/gm, '| ')
}

function describeOther(other: AlsoFound): string {
  return plainLine([other.title ?? other.source, pageOf(other)].filter((part) => part !== null).join(', '))
}

/** Null where all stands on one page: there, the section says more. */
function pageOf({ format, page }: AlsoFound): string | null {
  return hasPages(format) ? `p. ${page}` : null
}

export const search: CommandModule<SearchFlags> = {
  name: 'search',
  summary: 'find passages, without a model',
  description: 'Find the passages in the library that match a query best, without asking a model.',
  arguments: [new Argument('<query>', 'words or a question')],
  isQuotedText: true,
  options: [
    new Option('-k <n>', 'how many passages').argParser(wholeNumber),
    new Option(
      '--document <document>',
      'search only this one: its id, the beginning of it, or the file name; may be given several times',
    ).argParser(collect),
    new Option('--wider', 'also find passages that say it in other words'),
    new Option('--context <n>', 'print this many passages before and after each').argParser(wholeNumber),
    jsonOption(),
  ],
  examples: [
    'search "ablation study"',
    'search "drop-out rate" -k 3 --json',
    'search "who was excluded" --document trial.pdf --context 1',
  ],
  run: withEngine(runSearch),
}

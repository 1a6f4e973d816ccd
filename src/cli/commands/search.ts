import { Argument, Option } from 'commander'
import { NoDocuments } from '../../errors.ts'
import type { AlsoFound, Passage, SearchHit } from '../../index.ts'
import { hasPages, pageName } from '../../library/port/document.ts'
import { given } from '../command/command.ts'
import { collect, type FilterFlags, filterOf, filterOptions, wholeNumber } from '../command/options.ts'
import { plainLine, wrapped } from '../output/plain-text.ts'
import { pluralOf } from '../output/table.ts'
import { print, tell } from '../output/terminal.ts'
import { emptyLibrary } from '../shared/add-documents.ts'
import { engineCommand } from '../shared/engine-command.ts'

interface SearchFlags extends FilterFlags {
  readonly query: string
  readonly k?: number | undefined
  readonly document?: readonly string[] | undefined
  readonly context?: number | undefined
}

export const search = engineCommand({
  name: 'search',
  readsOnly: true,
  description: 'find passages, without a model',
  arguments: [new Argument('<query>', 'words or a question')],
  isQuotedText: true,
  options: [
    new Option('-k <n>', 'the number of passages').argParser(wholeNumber),
    new Option(
      '--document <document>',
      'search only this one: its id, the beginning of its id, or its file name; may be given several times',
    ).argParser(collect),
    ...filterOptions(),
    new Option('--context <n>', 'print this many passages before and after each').argParser(wholeNumber),
  ],
  examples: [
    'search "ablation study"',
    'search "drop-out rate" -k 3 --json',
    'search "who was excluded" --document trial.pdf --context 1',
    'search "operating margin" --where "year>=2020 and kind=10-K"',
  ],
  async act({ library }, { query, k: limit, document: documents, context, ...flags }: SearchFlags) {
    const filter = filterOf(flags)
    const hits = await library.search(query, { ...filter, ...given({ limit, documents, context }) })
    const searched = documents ?? (hits.length > 0 ? hits : await library.list(filter))
    if (searched.length === 0) throw new NoDocuments(emptyLibrary)
    return { hits, searched: searched.length }
  },
  json: ({ hits }) => hits,
  show({ hits, searched }, { output }) {
    if (hits.length > 0) print(output, inLines(hits.map(describeHit).join('\n\n'), output.width))
    else tell(output, `Nothing found in ${pluralOf(searched, 'document')}.`)
  },
})

/** Wrapped for a terminal; a pipe gets whole lines. */
function inLines(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => wrapped(line, width))
    .join('\n')
}

function describeHit(hit: SearchHit): string {
  const { rank, score, title, source, section, text, before = [], after = [], also } = hit
  const below = section
    ?.split(' > ')
    .filter((heading, at) => at > 0 || heading !== title)
    .join(' > ')
  const place = [title ?? source, below, pageOf(hit)].filter((part) => part).join(', ')
  const lines = [
    `${rank}. ${plainLine(place)} (${score.toFixed(2)})`,
    ...before.map(describeNeighbour),
    text.trim(),
    ...after.map(describeNeighbour),
    ...(also.length > 0 ? [`Also in ${also.map(describeOther).join('; ')}`] : []),
  ]
  return lines.join('\n')
}

/** A bar before each line distinguishes it from the passage that was found. */
function describeNeighbour({ text }: Passage): string {
  return text.trim().replace(/^/gm, '| ')
}

function describeOther(other: AlsoFound): string {
  return plainLine([other.title ?? other.source, pageOf(other)].filter((part) => part !== null).join(', '))
}

function pageOf({ format, page, pageLabel }: AlsoFound): string | null {
  return hasPages(format, page) ? pageName(page, pageLabel) : null
}

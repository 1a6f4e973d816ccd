import { Option } from 'commander'
import { noteOf } from '../../claims/table/table-text.ts'
import type { Claim, ClaimFilter, ClaimStanding, FallenClaim, Quaero } from '../../index.ts'
import { given, type Workplace } from '../command/command.ts'
import { wholeNumber } from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { plainLine } from '../output/plain-text.ts'
import { pluralOf } from '../output/table.ts'
import { print, tell } from '../output/terminal.ts'
import { describeFallen } from '../shared/describe-claims.ts'
import { engineCommand } from '../shared/engine-command.ts'

interface ClaimsFlags {
  readonly threadId?: string | undefined
  readonly runId?: string | undefined
  readonly document?: string | undefined
}

const noClaims = 'There are no claims.'

const filterOptions = () => [
  new Option('--thread-id <id>', 'only those of this thread'),
  new Option('--run-id <id>', 'only those of this run'),
  new Option(
    '--document <id>',
    'only those that quote this document: its id, a beginning of it, or the name of its file',
  ),
]

/** Throws `ThreadNotFound`; an unknown run or document is refused where it is looked up. */
async function filterOf(quaero: Quaero, { threadId, runId, document: documentId }: ClaimsFlags): Promise<ClaimFilter> {
  if (threadId !== undefined) await quaero.threads.show(threadId)
  return given({ threadId, runId, documentId })
}

export const claimsList = engineCommand<ClaimsFlags & { readonly limit?: number | undefined }, ListedClaims>({
  name: 'claims list',
  isDefault: true,
  readsOnly: true,
  description: 'list the sentences of answers with the quotes that they rest on, the newest answers first',
  options: [
    ...filterOptions(),
    new Option('--limit <n>', 'at most so many sentences, and the rest of the last answer (default: 100)').argParser(
      wholeNumber,
    ),
  ],
  examples: ['claims list', 'claims list --document 3f2a --json'],
  act: async (quaero, { limit, ...flags }) =>
    quaero.claims.page({ ...(await filterOf(quaero, flags)), ...given({ limit }) }),
  json: ({ claims }) => claims,
  show({ claims, next }, { output }) {
    print(output, claims.map(describe).join('\n\n') || noClaims)
    if (next !== null) tell(output, 'There are older ones: --limit lists more.')
  },
})

type ListedClaims = Awaited<ReturnType<Quaero['claims']['page']>>

/** Exits with 1 if one does not stand, so that a script that watches documents can ask. */
export const claimsCheck = engineCommand<ClaimsFlags, readonly ClaimStanding[]>({
  name: 'claims check',
  readsOnly: true,
  description:
    'look up what answers have quoted in the documents of now, without a model\n' +
    'exit with 1 if a sentence does not stand any more',
  options: filterOptions(),
  examples: ['claims check', 'claims check --json'],
  act: async (quaero, flags) => quaero.claims.check(await filterOf(quaero, flags)),
  json: (found) => found,
  show: showStanding,
  exitCode: (found) => (found.every(({ stands }) => stands) ? exitCodes.ok : exitCodes.failed),
})

async function showStanding(found: readonly ClaimStanding[], { output }: Pick<Workplace, 'output'>): Promise<void> {
  const { asFallen, onceEach } = await import('../../claims/cards/fallen.ts')
  const fallen = onceEach(asFallen(found))
  print(output, [headOf(found.length, fallen.length), ...fallen.map(describeFallen)].join('\n\n'))
}

function headOf(all: number, fallen: number): string {
  if (all === 0) return noClaims
  if (fallen > 0) return tellFallen(fallen)
  return `${pluralOf(all, 'sentence')} looked up again: ${all === 1 ? 'it stands' : 'all stand'}.`
}

/** "3 sentences you relied on no longer stand:" */
export function tellFallen(count: number): string {
  return `${pluralOf(count, 'sentence')} you relied on no longer ${count === 1 ? 'stands' : 'stand'}:`
}

/** The same with each of them; empty if there are none. */
export function listFallen(fallen: readonly FallenClaim[]): readonly string[] {
  return fallen.length === 0 ? [] : ['', [tellFallen(fallen.length), ...fallen.map(describeFallen)].join('\n\n')]
}

function describe({ text, state, reason, quotes }: Claim): string {
  const head = `${state}: ${plainLine(text)}${reason ? ` (${plainLine(reason)})` : ''}`
  return [head, ...quotes.map((quote) => `  ${plainLine(noteOf(quote))}`)].join('\n')
}

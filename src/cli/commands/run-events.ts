import { Argument, Option } from 'commander'
import { UsageError } from '../../errors.ts'
import type { Quaero } from '../../index.ts'
import { type CommandModule, withEngine } from '../command/command.ts'
import { jsonLinesOption, jsonOption, wholeNumber } from '../command/options.ts'
import { describeStored } from '../output/describe-event.ts'
import { exitCodeOfRun, exitCodes } from '../output/exit-codes.ts'
import { hiddenDeltas } from '../output/hidden-deltas.ts'
import { plainLine } from '../output/plain-text.ts'
import { formatTable } from '../output/table.ts'
import { type Input, type Output, print, printJson, printJsonLine, tell } from '../output/terminal.ts'
import { type PlaceFlags, resumeCommand } from '../shared/run-to-end.ts'

export interface RunsEventsFlags extends PlaceFlags {
  readonly runId: string
  readonly follow?: boolean | undefined
  /** A position in the log. */
  readonly after?: number | undefined
  readonly json?: boolean | undefined
  readonly jsonl?: boolean | undefined
}

/** `quaero runs events`: the log of a run. */
export async function runRunsEvents(
  quaero: Quaero,
  input: Input,
  output: Output,
  flags: RunsEventsFlags,
): Promise<number> {
  if (flags.follow) return followRun(quaero, input, output, flags)
  const events = []
  const threadId = await threadOf(quaero, flags.runId)
  for await (const event of quaero.runs.events(flags.runId, flags.after)) {
    const line = { ...event, runId: event.correlationId, threadId }
    if (flags.jsonl) printJsonLine(output, line)
    else events.push(line)
  }
  if (flags.json) printJson(output, { events })
  else if (!flags.jsonl) {
    print(
      output,
      formatTable(
        ['#', 'Time', 'Event', 'Agent', ''],
        events.map((event) => describeStored(event, output.hide)),
        output,
      ),
    )
  }
  return exitCodes.ok
}

async function threadOf(quaero: Quaero, runId: string): Promise<string | null> {
  for await (const event of quaero.runs.events(runId)) {
    if (event.type === 'run.created') return event.payload.threadId
  }
  return null
}

/** Prints events as they come; exits as the run does, or with 130 where its process is gone. */
async function followRun(quaero: Quaero, input: Input, output: Output, flags: RunsEventsFlags): Promise<number> {
  const { runId, after } = flags
  const { signal } = input
  if (flags.json) throw new UsageError('--json prints one object when all is over. Use --jsonl with --follow.')
  input.onStop(() => 'Following it no more; the run itself goes on.')
  const lines = quaero.follow(runId, { signal, ...(after !== undefined && { after }) })
  for await (const line of hiddenDeltas(lines)) {
    if (flags.jsonl) printJsonLine(output, line)
    else if ('position' in line) print(output, plainLine(describeStored(line, output.hide).join('  ')))
  }
  if (signal.aborted) return exitCodes.interrupted
  const result = await quaero.runs.show(runId)
  if (result.status === 'interrupted')
    tell(output, `It was interrupted. Resume it with: ${resumeCommand(runId, flags)}`)
  return exitCodeOfRun(result)
}

export const runsEvents: CommandModule<RunsEventsFlags> = {
  name: 'runs events',
  description: 'Print the log of a run; with --follow also the events to come, until the run ends or waits.',
  arguments: [new Argument('<runId>')],
  options: [
    new Option('--follow', 'print events as they come, whichever process works on the run'),
    new Option('--after <position>', 'only events after this position').argParser(wholeNumber),
    jsonOption(),
    jsonLinesOption(),
  ],
  examples: ['runs events <runId>', 'runs events <runId> --jsonl', 'runs events <runId> --follow --after 12 --jsonl'],
  run: withEngine(runRunsEvents),
}

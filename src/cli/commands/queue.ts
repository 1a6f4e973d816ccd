import { once } from 'node:events'
import { Option } from 'commander'
import { UsageError } from '../../errors.ts'
import type { Quaero, Queue } from '../../index.ts'
import type { CommandModule } from '../command/command.ts'
import { jsonOption, wholeNumber } from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { print, printJsonLine } from '../output/terminal.ts'
import { engineCommand } from '../shared/engine-command.ts'

export const queueShow = engineCommand({
  name: 'queue show',
  isDefault: true,
  description: 'tell how many questions and files wait for workers, and how many are at work',
  examples: ['queue', 'queue --json'],
  act: async (quaero) => queueOf(quaero).figures(),
  json: (figures) => figures,
  show({ waiting, working, workers, oldestSeconds, isPaused, files }, { output }) {
    const oldest = oldestSeconds === null ? '' : `, the oldest for ${oldestSeconds.toFixed(0)} s`
    const alive = `${workers} worker${workers === 1 ? '' : 's'}`
    print(output, `${waiting} waiting${oldest}; ${working} at work; ${alive}${isPaused ? '; paused' : ''}`)
    print(output, `files: ${files.waiting} waiting; ${files.working} being read`)
    if (workers === 0) print(output, noWorkers)
  },
})

/** What that means, and what to do. */
export const noWorkers = 'No worker is connected, so questions and files wait: start one with "quaero worker".'

export const queuePause = engineCommand({
  name: 'queue pause',
  description: 'let workers finish what they work on, and take no more',
  examples: ['queue pause'],
  act: async (quaero) => queueOf(quaero).pause(true),
})

export const queueContinue = engineCommand({
  name: 'queue continue',
  description: 'let workers take questions and files again after a pause',
  examples: ['queue continue'],
  act: async (quaero) => queueOf(quaero).pause(false),
})

/** Throws `UsageError` where the storage has no queue. */
function queueOf({ queue }: Quaero): Queue {
  if (queue) return queue
  throw new UsageError(
    'Only a PostgreSQL database has a queue. Set "storage" or QUAERO_DATABASE_URL to the address of one.',
  )
}

interface WorkerFlags {
  readonly concurrency: number
}

export const worker: CommandModule<WorkerFlags> = {
  name: 'worker',
  description:
    'answer questions, and read files, from the queue of a PostgreSQL storage\n' +
    'until stopped; any number of workers, on any host',
  options: [
    new Option('--concurrency <n>', 'questions at the same time').default(4).argParser(wholeNumber),
    jsonOption(),
  ],
  examples: ['worker', 'worker --concurrency 16'],
  async run({ open, input, output }, { concurrency, json }) {
    const queue = queueOf(await open())
    input.onStop(() => 'Finishing what is at work, and taking no more; once more stops at once.')
    await queue.work({ concurrency })
    if (json) printJsonLine(output, { pid: process.pid, concurrency })
    else print(output, `Answering up to ${concurrency} questions at a time from the queue, and reading one file.`)
    if (!input.signal.aborted) await once(input.signal, 'abort')
    await queue.drain()
    return exitCodes.ok
  },
}

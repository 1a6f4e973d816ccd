import { once } from 'node:events'
import { Option } from 'commander'
import type { CommandModule } from '../command/command.ts'
import { jsonOption, wholeNumber } from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { print, printJsonLine } from '../output/terminal.ts'
import { queueOf } from './queue.ts'

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
    const queue = await queueOf(open)
    input.onStop(() => 'Finishing what is at work, and taking no more; once more stops at once.')
    await queue.work({ concurrency })
    if (json) printJsonLine(output, { pid: process.pid, concurrency })
    else print(output, `Answering up to ${concurrency} questions at a time from the queue, and reading one file.`)
    if (!input.signal.aborted) await once(input.signal, 'abort')
    await queue.drain()
    return exitCodes.ok
  },
}

import { loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { quantile } from './processes.ts'
import { copyData, startEndpoint, tidy, work, workshop } from './torture/processes.ts'

interface Stored {
  readonly storedAt: number
  readonly workedMs: number
}

/**
 * How long after the last byte of a model's reply its end is stored with its result, for each call of runs in processes of
 * their own: `npm run bench -- reply --runs 20 --delay 400 --piece 5`. The endpoint thinks for `delay` milliseconds, and then
 * sends a piece each `piece` milliseconds; with 0 all at once, so that the reply has to be read in this time too. On a machine that is busy with other things, the processor time of the process says more.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      runs: { type: 'string', default: '20' },
      delay: { type: 'string', default: '400' },
      piece: { type: 'string', default: '5' },
    },
  })
  const { place, library } = await workshop()
  const endpoint = await startEndpoint({ delayMs: Number(values.delay), pieceMs: Number(values.piece) })
  const calls: { readonly ms: number[]; readonly workedMs: number[] }[] = []
  console.log(`Load of the machine before: ${loadavg()[0]?.toFixed(1)}`)
  try {
    for (let id = 1; id <= Number(values.runs); id += 1) {
      const folder = await copyData(library, join(place, `reply-${id}`))
      const stored: Stored[] = []
      const question = `How many pages does the Marble corpus hold? (case-${id})`
      const job = { do: 'ask', folder, endpoint: endpoint.url, model: 'openai:scripted', thread: 't', question }
      const { report } = await work(job, { tell: true }, (child) =>
        child.on('message', (message: Partial<Stored>) => {
          const { storedAt, workedMs } = message
          if (storedAt !== undefined && workedMs !== undefined) stored.push({ storedAt, workedMs })
        }),
      )
      const journal = await endpoint.journal(id)
      if (report === undefined || journal.length !== stored.length) throw new Error('The run did not end as it should.')
      for (const [index, { storedAt, workedMs }] of stored.entries()) {
        const call = calls[index] ?? { ms: [], workedMs: [] }
        calls[index] = call
        call.ms.push(storedAt - (journal[index]?.endedAt ?? Number.NaN))
        call.workedMs.push(workedMs)
      }
      await tidy(folder)
    }
  } finally {
    endpoint.close()
    await tidy(place)
  }
  for (const [index, { ms, workedMs }] of calls.entries())
    console.log(`call ${index + 1}: stored after ${shares(ms)}; processor time ${shares(workedMs)}`)
  console.log(`Load of the machine after: ${loadavg()[0]?.toFixed(1)}`)
}

function shares(values: readonly number[]): string {
  const [least, p50, p95] = [0, 0.5, 0.95].map((share) => quantile(values, share).toFixed(1))
  return `${least} ms at least, p50 ${p50}, p95 ${p95}`
}

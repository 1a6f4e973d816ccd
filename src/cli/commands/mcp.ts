import { once } from 'node:events'
import type { CommandModule } from '../command/command.ts'
import { packageVersion } from '../command/version.ts'
import { exitCodes } from '../output/exit-codes.ts'

export const mcp: CommandModule = {
  name: 'mcp',
  description:
    'serve the Model Context Protocol on stdin and stdout\n' +
    'for desktop clients and editors, which start it themselves',
  examples: ['mcp', 'mcp --data-dir ~/library'],
  async run({ open, input }) {
    const { serveMcp } = await import('../../server/index.ts')
    const quaero = await open()
    const server = serveMcp({ quaero, version: packageVersion() })
    if (!input.signal.aborted) await Promise.race([once(input.signal, 'abort'), once(input.stdin, 'end')])
    await server.close()
    return exitCodes.ok
  },
}

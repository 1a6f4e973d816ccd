import { Argument, Option } from 'commander'
import type { CommandModule } from '../command/command.ts'
import { jsonOption } from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { printJson, tell } from '../output/terminal.ts'

interface CopyFlags {
  readonly from: string
  readonly to: string
  readonly resume?: boolean | undefined
}

export const storeCopy: CommandModule<CopyFlags> = {
  name: 'store copy',
  description:
    'copy library, threads and runs from a data folder to a PostgreSQL database, or back\n' +
    'compare the copy with its source; vectors are not copied: "library embed" makes them again',
  arguments: [
    new Argument('<from>', 'a data folder, or postgres://user@host/database'),
    new Argument('<to>', 'the same; it must be empty'),
  ],
  options: [new Option('--resume', 'go on with a copy that was interrupted: add what is missing'), jsonOption()],
  examples: [
    'store copy .quaero postgres://quaero@localhost/quaero',
    'store copy postgres://quaero@localhost/quaero backup',
  ],
  async run({ output }, { from, to, resume = false, quiet, json }) {
    const { copyStore } = await import('../../index.ts')
    const rows = await copyStore(from, to, {
      resume,
      onProgress({ part, done, total }) {
        if (!quiet && (done === total || done % shownEvery === 0)) tell(output, `${part}: ${done} of ${total}`)
      },
    })
    if (json) printJson(output, { rows })
    else tell(output, `Copied ${rows.documents} documents and ${rows.runs} runs. The copy agrees with its source.`)
    return exitCodes.ok
  },
}

const shownEvery = 100

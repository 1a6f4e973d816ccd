import { Argument, type Command } from 'commander'
import type { Quaero } from '../../index.ts'
import { type CommandModule, given } from '../command/command.ts'
import { expandHome } from '../command/options.ts'
import { filesDirective, type Shell, shellScripts } from '../completion/shell-scripts.ts'
import { type Candidate, whatComes } from '../completion/what-comes.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { shorten } from '../output/table.ts'
import { print } from '../output/terminal.ts'
import { dataDirOf, isStored } from '../shared/data-dir.ts'
import { shortIdsOf } from '../shared/ids.ts'

export const completion: CommandModule<{ readonly shell: Shell }> = {
  name: 'completion',
  description:
    'print a script by which a shell completes commands, options and ids\n' +
    'bash: source <(quaero completion bash), in ~/.bashrc\n' +
    'zsh: source <(quaero completion zsh), in ~/.zshrc after compinit\n' +
    'fish: quaero completion fish > ~/.config/fish/completions/quaero.fish',
  arguments: [new Argument('<shell>', 'which shell').choices(Object.keys(shellScripts))],
  examples: ['completion bash', 'completion fish > ~/.config/fish/completions/quaero.fish'],
  async run({ output }, { shell }) {
    output.stdoutAsIs.write(shellScripts[shell])
    return exitCodes.ok
  },
}

/** Prints what may come in place of the last word, one a line with its description after a tab. The scripts call it. */
export function complete(program: Command): CommandModule<{ readonly words: readonly string[] }> {
  return {
    name: '__complete',
    isHidden: true,
    description: 'print what may come at the cursor',
    arguments: [new Argument('[words...]', 'the words up to the cursor')],
    examples: ['__complete -- runs show ""'],
    async run({ output }, { words: typed }) {
      const { before, prefix, current } = split(typed)
      const coming = whatComes(program, [...before, current])
      if ('files' in coming) {
        print(output, filesDirective)
        return exitCodes.ok
      }
      const all = 'ids' in coming ? await stored(coming.ids, before) : coming.candidates
      for (const { value, description } of all) {
        if (value.startsWith(current)) print(output, `${prefix}${value}\t${shorten(description, 80, output.hide)}`)
      }
      return exitCodes.ok
    },
  }
}

/** The last word alone; of `--thread=ab` only the value, since bash makes three words of it and other shells one. */
function split(typed: readonly string[]) {
  const words = typed.filter((word, at) => word !== '=' || at === typed.length - 1)
  const before = words.slice(0, -1)
  const last = (words.at(-1) ?? '').replace(/^=$/, '')
  const [, option, value] = /^(--[a-z-]+)=(.*)$/s.exec(last) ?? []
  if (option === undefined || value === undefined) return { before, prefix: '', current: last }
  return { before: [...before, option], prefix: `${option}=`, current: value }
}

type Kind = 'run' | 'thread' | 'document'

/** The ids in the data folder that the words name, the latest first; none where nothing is stored yet. */
async function stored(kind: Kind, words: readonly string[]): Promise<readonly Candidate[]> {
  const { loadConfig, startQuaero } = await import('../../index.ts')
  const configFile = namedBy('--config', words)
  const config = loadConfig(configFile ? { file: configFile } : {})
  const dataDir = dataDirOf(config, namedBy('--data-dir', words))
  if (!isStored(config, dataDir)) return []
  const starting = startQuaero({ ...given({ configFile }), dataDir, model: 'extractive' })
  try {
    return await candidates[kind](await starting.ready())
  } finally {
    await starting.close()
  }
}

const candidates: Readonly<Record<Kind, (quaero: Quaero) => Promise<readonly Candidate[]>>> = {
  async run(quaero) {
    const ids = await shortIdsOf(quaero)
    const runs = (await quaero.runs.list()).toReversed()
    return runs.map(({ runId, question }) => ({ value: ids.run(runId), description: question }))
  },
  async thread(quaero) {
    const ids = await shortIdsOf(quaero)
    return (await quaero.threads.list()).map(({ threadId, title }) => {
      return { value: ids.thread(threadId), description: title }
    })
  },
  async document({ library }) {
    return (await library.list()).map(({ documentId, title, source }) => {
      return { value: documentId, description: title ?? source }
    })
  },
}

function namedBy(option: string, words: readonly string[]): string | undefined {
  const at = words.indexOf(option)
  const value = words[at + 1]
  return at === -1 || value === undefined ? undefined : expandHome(value)
}

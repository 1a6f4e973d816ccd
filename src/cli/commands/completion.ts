import { Argument, type Command, type Option } from 'commander'
import type { Quaero } from '../../index.ts'
import { type CommandModule, given } from '../command/command.ts'
import { dataDirOf, expandHome, isStored } from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { shorten } from '../output/table.ts'
import { print } from '../output/terminal.ts'
import { shortIdsOf } from '../shared/ids.ts'

/** What `quaero __complete` prints in place of candidates where the shell completes files itself. */
const filesDirective = ':files'

/** For each shell the script that asks `quaero __complete` for what may come at the cursor. */
const shellScripts = {
  bash: `# Load it with: source <(quaero completion bash)
_quaero() {
  local IFS=$'\\n' found line
  COMPREPLY=()
  found=$("$1" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return
  if [[ $found == '${filesDirective}' ]]; then
    compopt -o default 2>/dev/null
    return
  fi
  for line in $found; do COMPREPLY+=("\${line%%$'\\t'*}"); done
}
complete -F _quaero quaero
`,
  zsh: `#compdef quaero
# Load it with: source <(quaero completion zsh)
_quaero() {
  local -a found
  found=("\${(@f)$(\${words[1]} __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $found[1] == '${filesDirective}' ]]; then
    _files
  elif [[ -n $found[1] ]]; then
    found=("\${(@)found//:/\\\\:}")
    found=("\${(@)found/$'\\t'/:}")
    _describe 'quaero' found
  fi
}
compdef _quaero quaero
`,
  fish: `# Load it with: quaero completion fish | source
function __quaero_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l found (quaero __complete -- $words[2..-1] "$current" 2>/dev/null)
  if test "$found" = '${filesDirective}'
    __fish_complete_path "$current"
  else
    printf '%s\\n' $found
  end
end
complete -c quaero -f -a '(__quaero_complete)'
`,
} as const

type Shell = keyof typeof shellScripts

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

/** A word that may stand at the cursor. */
interface Candidate {
  readonly value: string
  readonly description: string
}

/** What may come at the cursor: words, a file, or an id of a kind that is stored. */
type Coming = { readonly candidates: readonly Candidate[] } | { readonly files: true } | { readonly ids: Kind }

type Kind = 'run' | 'thread' | 'document'

const nothing: Coming = { candidates: [] }

/** What may come in place of the last word, from the definitions of the commands. */
function whatComes(program: Command, words: readonly string[]): Coming {
  const { command, expected, position } = read(program, words.slice(0, -1))
  const current = words.at(-1) ?? ''
  if (expected && !(expected.variadic && current.startsWith('-'))) return valuesOf(expected.attributeName(), expected)
  if (current.startsWith('-')) return { candidates: optionsOf(program, command) }
  const subcommands = command.createHelp().visibleCommands(command)
  if (subcommands.length > 0 && position === 0) {
    return { candidates: subcommands.map((each) => ({ value: each.name(), description: each.summary() })) }
  }
  const last = command.registeredArguments.at(-1)
  const argument = command.registeredArguments[position] ?? (last?.variadic ? last : undefined)
  return argument ? valuesOf(argument.name(), argument) : nothing
}

interface Reading {
  readonly command: Command
  /** The option that expects a value. */
  readonly expected: Option | undefined
  /** How many arguments there were. */
  readonly position: number
}

/** Reads words as the parser will. */
function read(program: Command, words: readonly string[]): Reading {
  const start: Reading = { command: program, expected: undefined, position: 0 }
  return words.reduce((so, word) => after(so, word, program), start)
}

function after(so: Reading, word: string, program: Command): Reading {
  const { command, expected, position } = so
  const isOption = word.startsWith('-') && word !== '-'
  if (expected && !(expected.variadic && isOption)) return expected.variadic ? so : { ...so, expected: undefined }
  if (isOption) {
    const option = [...command.options, ...program.options].find(({ long, short }) => word === long || word === short)
    return { ...so, expected: option?.required || option?.optional ? option : undefined }
  }
  const subcommand = position === 0 ? command.commands.find((each) => each.name() === word) : undefined
  return subcommand ? { ...so, command: subcommand } : { ...so, position: position + 1 }
}

const kinds: Readonly<Record<string, Kind>> = {
  runId: 'run',
  threadId: 'thread',
  thread: 'thread',
  documentId: 'document',
  document: 'document',
}

/** The values of an option or argument of this name. */
function valuesOf(
  name: string,
  { argChoices, ...defined }: (Option | Argument) & { argChoices?: readonly string[] },
): Coming {
  if (argChoices) return { candidates: argChoices.map((value) => ({ value, description: '' })) }
  const ids = kinds[name]
  if (ids) return { ids }
  const shown = 'flags' in defined ? defined.flags : name
  return /\b(?:paths?|files?|dir)\b/.test(shown) ? { files: true } : nothing
}

function optionsOf(program: Command, command: Command): readonly Candidate[] {
  const help = command.createHelp()
  const options = new Set([...help.visibleOptions(command), ...program.options.filter(({ hidden }) => !hidden)])
  return [...options].map(({ long, short, description }) => ({ value: long ?? short ?? '', description }))
}

import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Argument, Option } from 'commander'
import { UsageError } from '../../errors.ts'
import type { EndpointFinding as Check, Config, FoundServer, findServers } from '../../index.ts'
import type { CommandModule, CommonFlags } from '../command/command.ts'
import { expandHome, modelOption } from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { formatFindings } from '../output/table.ts'
import { type Input, type Output, print, tell } from '../output/terminal.ts'
import { rowOf } from './doctor.ts'

interface InitFlags {
  readonly file: string
  readonly url?: string | undefined
  readonly look?: boolean | undefined
  readonly force?: boolean | undefined
}

export const init = initAt()

/** The command that writes a configuration file; `ports` are where it looks for servers. */
export function initAt(ports?: Parameters<typeof findServers>[1]['ports']): CommandModule<InitFlags> {
  return {
    name: 'init',
    description:
      'choose a model, try it, and write a configuration file\n' +
      'say what reads scans, and how to search by meaning without a server\n' +
      'send the model three small requests, which cost tokens\n' +
      'ask at a terminal for what the options leave open',
    arguments: [new Argument('[file]', 'the file to write').default('quaero.yaml').argParser(expandHome)],
    options: [
      modelOption(),
      new Option('--url <address>', 'an OpenAI-compatible server, with its version: http://127.0.0.1:8000/v1'),
      new Option('--look', 'look for Ollama, LM Studio, llama.cpp and vLLM at their usual ports of this computer'),
      new Option('--force', 'change the file if it is there, without asking'),
    ],
    examples: ['init', 'init --look', 'init my.yaml --url http://127.0.0.1:11434/v1 -m openai:qwen3:8b'],
    async run({ config: configOf, input, output }, flags) {
      if (!(await mayWrite(flags, input))) return exitCodes.ok
      const setup: Setup = { config: configOf(), input, output, ports }
      const chosen = await choose(setup, flags)
      if (!chosen) return exitCodes.interrupted
      const checks = await tryOut(chosen, setup)
      if (checks.length > 0) tell(output, formatFindings(['', 'Check', 'Finding'], checks.map(rowOf), output.width))
      if (checks.some(({ ok }) => !ok)) {
        tell(output, `Nothing was written: ${chosen.model} gives no answers.`)
        return exitCodes.failed
      }
      await write(flags.file, chosen)
      print(output, nextSteps(flags.file, chosen))
      await offerPackages(setup)
      return exitCodes.ok
    },
  }
}

interface Setup {
  readonly config: Config
  readonly input: Input
  readonly output: Output
  readonly ports: Parameters<typeof findServers>[1]['ports']
}

/** What the file will say. `baseUrl` is null for the address of the environment, and for no endpoint. */
interface Chosen {
  readonly model: string
  readonly baseUrl: string | null
}

/** Asks before a file is changed. */
async function mayWrite({ file, force }: InitFlags, { confirm }: Input): Promise<boolean> {
  if (force || !existsSync(file)) return true
  if (confirm) return confirm(`${file} is there already. Change its model and address?`)
  throw new UsageError(`${file} is there already. Name another file, or give --force to change its model and address`)
}

const extractive: Chosen = { model: 'extractive', baseUrl: null }

/** The model by the options, else as a person chooses; null if the person leaves. */
async function choose(setup: Setup, { model, url, look }: InitFlags & CommonFlags): Promise<Chosen | null> {
  const named = namedModel(model)
  if (named === extractive.model) return extractive
  if (url) return chooseModel(serverAt(url, setup.output), named, setup)
  const found = look ? await lookAround(setup) : null
  if (named && !found && hasEndpoint(setup.config)) return { model: named, baseUrl: null }
  if (setup.input.choose) return chooseServer(found, named, setup)
  if (found) return onlyServer(found, named)
  throw new UsageError(
    named
      ? `${named} needs an endpoint: set OPENAI_API_KEY, or give --url or --look`
      : 'There is no terminal to ask at: give --model, with --url for a server of your own, or --look',
  )
}

function namedModel(given: string | undefined): string | undefined {
  const model = given?.trim()
  if (!model || /^(?:extractive|openai:.+)$/.test(model)) return model
  throw new UsageError(`There is no model "${model}": give "openai:<name>", or "extractive" for quotes without a model`)
}

/** Throws `UsageError` for an address with a credential, which belongs in no file. */
function serverAt(address: string, { hide }: Output): string {
  const baseUrl = address.trim()
  if (hide(baseUrl) === baseUrl) return baseUrl
  throw new UsageError('The address holds a key. Set OPENAI_BASE_URL to it instead: the file must hold none')
}

async function lookAround({ config, input: { signal }, output, ports }: Setup): Promise<readonly FoundServer[]> {
  const index = await import('../../index.ts')
  const found = await index.findServers(config.settings, { signal, ...(ports && { ports }) })
  const list = found.map(({ name, baseUrl, models }) => `${name} at ${baseUrl}: ${models.join(', ') || 'no model yet'}`)
  tell(output, list.join('\n') || 'No server was found at the usual ports of Ollama, LM Studio, llama.cpp and vLLM.')
  return found
}

/** The one model that was found, or that has this name; throws `UsageError` where a person would have to choose. */
function onlyServer(servers: readonly FoundServer[], named: string | undefined): Chosen {
  const all = servers.flatMap(({ baseUrl, models }) => models.map((name) => ({ baseUrl, model: `openai:${name}` })))
  const [first, ...others] = all.filter(({ model }) => !named || model === named)
  if (first && others.length === 0) return first
  const found = first ? 'Several models were found: choose one' : 'No such model was found: name one'
  throw new UsageError(`${found} with --url and --model`)
}

/** A person chooses of the servers that were `found`; null where nobody has looked for them yet. */
async function chooseServer(
  found: readonly FoundServer[] | null,
  named: string | undefined,
  setup: Setup,
): Promise<Chosen | null> {
  const { config, input, output } = setup
  const variable = config.environment.openaiBaseUrl ? 'OPENAI_BASE_URL' : 'OPENAI_API_KEY'
  const look = 'look for Ollama, LM Studio, llama.cpp and vLLM on this computer'
  const chosen = await input.choose?.('Which model should answer?', [
    ...(hasEndpoint(config) ? [{ value: 'environment', label: `the endpoint of ${variable}` }] : []),
    ...(found ?? []).map(({ name, baseUrl }) => ({ value: baseUrl, label: `${name} at ${baseUrl}` })),
    ...(found ? [] : [{ value: 'look', label: look }]),
    { value: 'type', label: 'another server: type its address' },
    { value: 'quotes', label: 'none: quotes from the documents, without a language model' },
  ])
  if (!chosen) return null
  if (chosen === 'quotes') return extractive
  if (chosen === 'environment') return chooseModel(null, named, setup)
  if (chosen === 'look') return chooseServer(await lookAround(setup), named, setup)
  if (chosen !== 'type') return chooseModel(chosen, named, setup)
  const address = await input.type?.('The address, with its version, such as http://127.0.0.1:8000/v1')
  return address ? chooseModel(serverAt(address, output), named, setup) : null
}

/** The model of this name; else the only one of the server (null: of the environment's), or one that a person chooses or types. */
async function chooseModel(baseUrl: string | null, named: string | undefined, setup: Setup): Promise<Chosen | null> {
  if (named) return { model: named, baseUrl }
  const { config, input } = setup
  const { openaiBaseUrl, openaiApiKey: apiKey } = config.environment
  const { listModels } = await import('../../index.ts')
  const address = baseUrl ?? openaiBaseUrl ?? 'https://api.openai.com/v1'
  const offered = (await listModels({ baseUrl: address, apiKey }, config.settings, input.signal)) ?? []
  const [only, ...others] = offered
  if (only !== undefined && others.length === 0) return { model: `openai:${only}`, baseUrl }
  if (!input.choose || !input.type) {
    throw new UsageError(`Choose a model with --model: ${offered.join(', ') || 'the server lists none'}`)
  }
  const listed = offered.map((each) => ({ value: each, label: each }))
  const typed = () => input.type?.('It lists no models. The name of the model')
  const name = await (listed.length > 0 ? input.choose('Which of its models?', listed) : typed())
  return name ? { model: `openai:${name}`, baseUrl } : null
}

function hasEndpoint({ environment }: Config): boolean {
  return environment.openaiApiKey !== null || environment.openaiBaseUrl !== null
}

/** What the doctor says of the choice; nothing where no endpoint is asked. */
async function tryOut({ model, baseUrl }: Chosen, { config, input, output }: Setup): Promise<readonly Check[]> {
  if (model === extractive.model) return []
  if (baseUrl && config.environment.openaiApiKey) tell(output, `OPENAI_API_KEY is set: it is sent to ${baseUrl} too.`)
  const { settings } = config
  const endpoint = { ...settings.endpoint, ...(baseUrl && { baseUrl }) }
  const { checkEndpoint } = await import('../../index.ts')
  return checkEndpoint({ ...config, settings: { ...settings, model, endpoint } }, input)
}

/** Sets model and address in the file, and leaves what else it says as it is. */
async function write(file: string, { model, baseUrl }: Chosen): Promise<void> {
  const { parseDocument } = await import('yaml')
  const isThere = existsSync(file)
  const document = parseDocument(isThere ? await readFile(file, 'utf8') : comment)
  if (document.errors.length > 0)
    throw new UsageError(`${file} is no YAML that can be changed: mend it, or name another file`)
  document.set('model', model)
  if (baseUrl) document.setIn(['endpoint', 'baseUrl'], baseUrl)
  else if (document.hasIn(['endpoint', 'baseUrl'])) document.deleteIn(['endpoint', 'baseUrl'])
  await writeFile(file, document.toString(), { flag: isThere ? 'w' : 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be written (${error.code}): name another file`)
  })
}

/** Says how to have what is not installed here. */
async function offerPackages({ config, output }: Setup): Promise<void> {
  const { localModelRemedy, scanProgram, scanRemedy } = await import('../../index.ts')
  const { library, search } = config.settings
  if (!scanProgram(library)) {
    print(output, `Scans and pictures are not read yet, as nothing here recognises their text. ${scanRemedy(library)}`)
  }
  if (search.embeddings.model === null) {
    print(output, `To search by meaning too, with models of this machine and no server:\n${localModelRemedy}`)
  }
}

const comment = `\
# Settings of Quaero that differ from config/default.yaml. Keys are read from the environment, never from here.
# Tools that use the network ask first while there are documents; to let these go ahead, "tools: { allow: [web_search, read_page] }".
`

function nextSteps(file: string, { model, baseUrl }: Chosen): string {
  const isLocal = baseUrl !== null || model === extractive.model
  return [
    `Wrote ${file}: ${model}${baseUrl ? ` at ${baseUrl}` : ''}.`,
    'Next:',
    `  export QUAERO_CONFIG='${resolve(file)}'   # or --config ${file} with each command`,
    ...(isLocal ? [] : ['  # the key and the address stay in the environment']),
    '  quaero add <files or folders>',
    '  quaero ask "…"',
  ].join('\n')
}

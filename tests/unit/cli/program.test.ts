import { homedir } from 'node:os'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { buildProgram } from '../../../src/cli/program.ts'

interface Parsed {
  readonly name: string
  readonly flags: Readonly<Record<string, unknown>>
}

describe('the command line', () => {
  it('reads a question with all of its options', async () => {
    const words = [
      ...['ask', 'Why?', '-d', 'a.pdf', 'b', '-t', 't1', '-m', 'extractive', '--max-steps', '5'],
      ...['--max-cost', '0.5', '--timeout', '2.5', '--approve', 'none', '--json', '-q', '--data-dir', 'x'],
    ]
    expect(await parse(words)).toEqual({
      name: 'ask',
      flags: {
        question: 'Why?',
        documents: ['a.pdf', 'b'],
        thread: 't1',
        model: 'extractive',
        maxSteps: 5,
        maxCost: 0.5,
        timeout: 2.5,
        approve: 'none',
        json: true,
        quiet: true,
        dataDir: 'x',
      },
    })
  })

  it('reads the common options before and after the command', async () => {
    const flags = { dataDir: 'x', config: 'y.yaml' }
    expect((await parse(['--data-dir', 'x', '--config', 'y.yaml', 'runs', 'list'])).flags).toEqual(flags)
    expect((await parse(['runs', 'list', '--data-dir', 'x', '--config', 'y.yaml'])).flags).toEqual(flags)
  })

  it.each<[string, string, object]>([
    ['chat -t t1 -c', 'chat', { thread: 't1', continue: true }],
    [
      'add a b --password x --password y --allow-errors',
      'add',
      { paths: ['a', 'b'], password: ['x', 'y'], allowErrors: true },
    ],
    ['search words -k 3', 'search', { query: 'words', k: 3 }],
    ['library', 'library list', {}],
    ['library list --json', 'library list', { json: true }],
    ['library text d1 --page 4', 'library text', { documentId: 'd1', page: 4 }],
    ['library text d1', 'library text', { documentId: 'd1', page: 1 }],
    ['library show d1 --json', 'library show', { documentId: 'd1', json: true }],
    ['library set d1 title=x year=', 'library set', { documentId: 'd1', values: ['title=x', 'year='] }],
    ['add a --sync', 'add', { paths: ['a'], sync: true }],
    ['library remove d1', 'library remove', { documentId: 'd1' }],
    ['library embed --json -q', 'library embed', { json: true, quiet: true }],
    ['init', 'init', { file: 'quaero.yaml' }],
    ['init a.yaml --look --force', 'init', { file: 'a.yaml', look: true, force: true }],
    ['library embed --anew', 'library embed', { anew: true }],
    ['threads', 'threads list', {}],
    ['threads show t1 --json', 'threads show', { threadId: 't1', json: true }],
    ['threads delete t1', 'threads delete', { threadId: 't1' }],
    ['threads rename t1 Pages', 'threads rename', { threadId: 't1', title: 'Pages' }],
    ['threads reset t1', 'threads reset', { threadId: 't1' }],
    ['threads export t1', 'threads export', { threadId: 't1', format: 'md' }],
    ['threads export t1 --format bibtex', 'threads export', { threadId: 't1', format: 'bibtex' }],
    ['runs', 'runs list', {}],
    ['runs list --thread t1', 'runs list', { thread: 't1' }],
    ['runs show r1', 'runs show', { runId: 'r1' }],
    ['runs events r1 --jsonl', 'runs events', { runId: 'r1', jsonl: true }],
    ['runs cancel r1', 'runs cancel', { runId: 'r1' }],
    [
      'runs resume r1 --approve a --approve b --deny c --reason no',
      'runs resume',
      { runId: 'r1', approve: ['a', 'b'], deny: ['c'], reason: 'no' },
    ],
    ['runs resume r1 --approve none', 'runs resume', { runId: 'r1', approve: ['none'] }],
    ['eval q.jsonl --fail-under 92.5', 'eval', { dataset: 'q.jsonl', failUnder: 92.5 }],
    ['tools', 'tools list', {}],
    ['tools list --json', 'tools list', { json: true }],
    [
      'tools run look --args {"a":1} -d ./papers --approve all --json',
      'tools run',
      { name: 'look', args: '{"a":1}', documents: ['./papers'], approve: 'all', json: true },
    ],
    ['doctor --json', 'doctor', { json: true }],
    ['config show', 'config show', {}],
  ])('reads: quaero %s', async (words, name, flags) => {
    expect(await parse(words.split(' '))).toEqual({ name, flags })
  })

  it.each([
    ['an unknown command', 'frobnicate', 'commander.unknownCommand'],
    ['an unknown option', 'ask why --frobnicate', 'commander.unknownOption'],
    ['a missing argument', 'search', 'commander.missingArgument'],
    ['an argument too many', 'ask why not', 'commander.excessArguments'],
    ['zero steps', 'ask why --max-steps 0', 'commander.invalidArgument'],
    ['half a step', 'ask why --max-steps 1.5', 'commander.invalidArgument'],
    ['a negative cost', 'ask why --max-cost -1', 'commander.invalidArgument'],
    ['a timeout in words', 'ask why --timeout soon', 'commander.invalidArgument'],
    ['an unknown approval mode', 'ask why --approve maybe', 'commander.invalidArgument'],
    ['an unknown format', 'threads export t1 --format doc', 'commander.invalidArgument'],
    ['two forms of output at once', 'ask why --json --jsonl', 'commander.conflictingOption'],
  ])('refuses %s', async (_, words, code) => {
    await expect(parse(words.split(' '))).rejects.toMatchObject({ code })
  })

  it('says after a wrong use only what is wrong and where the right one is told', async () => {
    expect(await errorsOf(['ask', 'why', '--frobnicate'])).toBe(
      "error: unknown option '--frobnicate'\nTry: quaero ask --help\n",
    )
    expect(await errorsOf(['library', 'text'])).toBe(
      "error: missing required argument 'documentId'\nTry: quaero library text --help\n",
    )
  })

  it('names an unknown command, and those there are, in a group too', async () => {
    const groups =
      'ask, chat, add, search, table, report, export, verify, audit, open, serve, worker, queue, mcp, library, threads, runs, claims, store, tools, prompts, eval, init, doctor, completion, config, help'
    expect(await errorsOf(['frobnicate'])).toBe(
      `error: unknown command 'frobnicate'; there are ${groups}\nTry: quaero --help\n`,
    )
    for (const words of ['library search x', 'library search x -k 3', 'help library search']) {
      expect(await errorsOf(words.split(' '))).toBe(
        "error: unknown command 'search'; there are list, text, show, set, cite, tag, remove, embed\nTry: quaero library --help\n",
      )
    }
    expect(await errorsOf(['help', 'config', 'show'])).toBe('')
  })

  it('says that -d has taken the other words', async () => {
    expect(await errorsOf('tools run -d papers pdf_retrieval'.split(' '))).toBe(
      "error: missing required argument 'name'; -d takes every word after it, so put it last\nTry: quaero tools run --help\n",
    )
  })

  it('asks for quotes around a question that came as several words', async () => {
    expect(await errorsOf(['ask', 'why', 'not'])).toContain('Put the words in quotes: quaero ask "why not"\n')
  })

  it('finds the home folder where the shell left its sign as it is', async () => {
    const { flags } = await parse(['library', '--data-dir', '~/x', '--config', '~/y.yaml'])
    expect(flags).toEqual({ dataDir: `${homedir()}/x`, config: `${homedir()}/y.yaml` })
    expect((await parse(['library', '--data-dir', '~x'])).flags).toEqual({ dataDir: '~x' })
  })

  it('gives help for -h as for --help, also of a command', async () => {
    for (const words of [['-h'], ['--help'], ['ask', '-h'], ['runs', 'resume', '-h']]) {
      await expect(parse(words), words.join(' ')).rejects.toMatchObject({ code: 'commander.helpDisplayed' })
    }
  })

  it('names every word that "runs resume --approve" understands', () => {
    const resume = commandsOf(
      buildProgram(
        async () => {},
        () => {},
      ),
    ).find((command) => command.name() === 'resume')
    const help = resume ? helpOf(resume) : ''
    for (const word of ['"all"', '"none"', '"ask"']) expect(help).toContain(word)
  })

  it('teaches each command in phrases, with an example, within 80 columns', () => {
    const program = buildProgram(
      async () => {},
      () => {},
    )
    for (const command of commandsOf(program)) {
      const help = helpOf(command)
      expect(command.description(), command.name()).toMatch(/^[a-z][^A-Z]/)
      for (const { description } of [...command.options, ...command.registeredArguments, command]) {
        const text = typeof description === 'string' ? description : command.description()
        expect(text, `${command.name()}: ${text}`).not.toMatch(/\.$/m)
      }
      if (command.name() !== 'help') expect(help, command.name()).toContain('\nExamples:\n  quaero ')
      const tooWide = help.split('\n').filter((line) => line.length > 80)
      expect(tooWide, command.name()).toEqual([])
    }
  })
})

async function parse(words: readonly string[]): Promise<Parsed> {
  let parsed: Parsed | undefined
  const program = buildProgram(
    async (command, flags) => {
      parsed = { name: command.name, flags: { ...flags } }
    },
    () => {},
  )
  for (const command of commandsOf(program)) command.configureOutput({ writeOut: () => {} })
  await program.parseAsync(words, { from: 'user' })
  if (!parsed) throw new Error('nothing was performed')
  return parsed
}

/** What a wrong use prints on stderr. */
async function errorsOf(words: readonly string[]): Promise<string> {
  let errors = ''
  const program = buildProgram(
    async () => {},
    (text) => {
      errors += text
    },
  )
  await expect(program.parseAsync(words, { from: 'user' })).rejects.toThrow()
  return errors
}

function commandsOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsOf)]
}

function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({
    writeOut: (part) => {
      text += part
    },
  })
  command.outputHelp()
  return text
}

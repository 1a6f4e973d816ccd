import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { environmentOf, quaero } from '../fixtures/command-line.ts'
import { libraryFolder, temporaryFolder } from '../fixtures/workflow.ts'

const main = join(import.meta.dirname, '../../dist/cli/main.js')
const question = 'How many pages does the Marble corpus hold?'
const has = (program: string) => spawnSync(program, ['--version']).status === 0

/** A folder with a library, and a run on the thread "marble"; `quaero` is on its path. */
async function workplace() {
  const cwd = await libraryFolder()
  const bin = join(cwd, 'bin')
  await mkdir(bin)
  await writeFile(join(bin, 'quaero'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, { mode: 0o755 })
  const asked = await quaero(['ask', question, '-t', 'marble', '--json'], { cwd })
  const { runId } = JSON.parse(asked.out)
  const env = { ...environmentOf(cwd), PATH: `${bin}:${process.env.PATH}`, HOME: cwd, TERM: 'xterm' }
  return { cwd, env, runId: String(runId) }
}

/** What the shell would offer for these words; the last is the one with the cursor. */
type Complete = (words: readonly string[], place: Awaited<ReturnType<typeof workplace>>) => Promise<readonly string[]>

const quoted = (word: string) => `'${word}'`

const shells: Readonly<Record<string, Complete>> = {
  bash: async (words, { cwd, env }) => {
    const script = `source <(quaero completion bash)
      COMP_WORDS=(quaero ${words.map(quoted).join(' ')}) COMP_CWORD=${words.length}
      _quaero quaero && printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', script], { cwd, env })
    return stdout.split('\n').filter((line) => line !== '')
  },
  // What the function offers, with the two functions of zsh that show it replaced; the terminal below has the real ones.
  zsh: async (words, { cwd, env }) => {
    const script = `compdef() { : }
      _describe() { print -rl -- "\${(@P)2}" }
      source <(quaero completion zsh)
      words=(quaero ${words.map(quoted).join(' ')}) CURRENT=${words.length + 1}
      _quaero`
    const { stdout } = await promisify(execFile)('zsh', ['-f', '-c', script], { cwd, env })
    return stdout.split('\n').flatMap((line) => line.split(':')[0] || [])
  },
  fish: async (words, { cwd, env }) => {
    const script = `quaero completion fish | source; complete -C ${quoted(`quaero ${words.join(' ')}`)}`
    const { stdout } = await promisify(execFile)('fish', ['--no-config', '-c', script], { cwd, env })
    return stdout.split('\n').flatMap((line) => line.split('\t')[0] || [])
  },
}

for (const shell of ['bash', 'zsh', 'fish']) if (!has(shell)) console.warn(`${shell} is not installed: not tested.`)

describe.each(Object.entries(shells))('completion in %s', { timeout: 120_000, tags: ['slow'] }, (shell, complete) => {
  describe.runIf(has(shell))('completes', () => {
    it('commands, options, fixed choices, and what is stored', async () => {
      const place = await workplace()
      const short = place.runId.slice(0, 8)
      const expected: readonly (readonly [readonly string[], readonly string[]])[] = [
        [['thr'], ['threads']],
        [['runs', 'show', ''], [short]],
        [['ask', '-t', 'm'], ['marble']],
        [['threads', 'export', 'marble', '--format', 'b'], ['bibtex']],
        [['ask', 'Why?', '--max-s'], ['--max-steps']],
      ]
      for (const [words, candidates] of expected)
        expect(await complete(words, place), words.join(' ')).toEqual(candidates)
    })
  })
})

/** How each shell is started on a terminal without anybody's settings, and what it needs before it completes. */
const terminals = {
  bash: { start: 'bash --norc --noprofile -i', prepare: '' },
  zsh: { start: 'zsh -f -i', prepare: 'autoload -U compinit; compinit -u -D; ' },
} as const

describe.each(Object.entries(terminals))(
  '%s on a terminal',
  { timeout: 120_000, tags: ['slow'] },
  (shell, { start, prepare }) => {
    it.runIf(has(shell) && has('script'))('completes a command, the id of a run and a file on Tab', async () => {
      const { cwd, env, runId } = await workplace()
      await writeFile(join(cwd, 'unmistakable.txt'), '')
      // A history would be written into the folder while it is removed.
      const child = spawn('script', ['-qec', start, '/dev/null'], { cwd, env: { ...env, HISTFILE: '/dev/null' } })
      const ended = once(child, 'exit')
      onTestFinished(() => void child.kill('SIGKILL'))
      let shown = ''
      child.stdout.setEncoding('utf8').on('data', (piece: string) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
        shown += piece.replace(/\u001b\[[\d;?]*[A-Za-z]/g, '')
      })
      const seen = (text: string) => vi.waitFor(() => expect(shown).toContain(text), { timeout: 60_000, interval: 50 })
      child.stdin.write(`${prepare}source <(quaero completion ${shell}); echo lo""aded\r`)
      await seen('loaded\r\n')
      child.stdin.write('quaero run\tshow \t')
      await seen(`show ${runId.slice(0, 8)}`)
      child.stdin.write('\u0015quaero add unmis\t')
      await seen('unmistakable.txt')
      child.stdin.write('\u0015exit\r')
      await ended
    })
  },
)

describe('what a shell asks for', { timeout: 60_000 }, () => {
  const linesFor = async (cwd: string, ...words: string[]) =>
    (await quaero(['__complete', '--', ...words], { cwd })).out.split('\n').filter((line) => line !== '')

  it.each([
    [['serve', '']],
    [['ask', 'Why?', '-d', '']],
    [['ask', 'Why?', '-d', 'a.pdf', '']],
    [['chat', '--config', '']],
    [['--data-dir', '']],
  ])('is a file for %j', async (words) => {
    expect(await linesFor(await temporaryFolder(), ...words)).toEqual([':files'])
  })

  it('has the id of a document with its title, also behind a sign of equality', async () => {
    const cwd = await libraryFolder()
    const [first = ''] = await linesFor(cwd, 'search', 'words', '--document', '')
    expect(first).toMatch(/^[0-9a-f]{16}\t\S/)
    const [id = ''] = first.split('\t')
    expect((await linesFor(cwd, 'search', 'words', `--document=${id.slice(0, 6)}`))[0]).toMatch(`--document=${id}\t`)
    expect((await linesFor(cwd, 'search', 'words', '--document', '=', id.slice(0, 6)))[0]).toMatch(`${id}\t`)
  })

  it('is nothing in a folder without data, and makes none', async () => {
    const cwd = await temporaryFolder()
    expect(await linesFor(cwd, '--data-dir', join(cwd, 'none'), 'runs', 'show', '')).toEqual([])
    expect(existsSync(join(cwd, 'none'))).toBe(false)
  })

  it('is in no list of commands', async () => {
    const { out } = await quaero(['--help'], { cwd: await temporaryFolder() })
    expect(out).toContain('completion')
    expect(out).not.toContain('__complete')
  })
})

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { execNode } from './processes.ts'

/** Each is a program of `comparison/`, which names its arguments; those of `peers` compare other frameworks, unless `--only` says else. */
const programs = { concurrency: 'peers', growth: 'peers', overhead: 'own', stream: 'own', tracing: 'own' } as const

/** These need nothing but Quaero's own packages. */
const withoutPeers = /^(quaero|raw|bare)(,(quaero|raw|bare))*$/

const root = join(import.meta.dirname, '..')
const peers = join(import.meta.dirname, 'peers')

/**
 * What Quaero costs beside other programs that do the same work over the same endpoint. `--install` installs the other
 * frameworks first. Each runs in a process of its own, in plain JavaScript, so that no TypeScript loader is measured.
 */
export function comparison(name: keyof typeof programs) {
  return async (args: readonly string[]): Promise<void> => {
    await execNode([join(root, 'scripts', 'build-if-stale.mjs')])
    if (args.includes('--install')) execFileSync('npm', ['ci', '--prefix', peers], { stdio: 'inherit' })
    const own = args.filter((each) => each !== '--install')
    const only = own[own.indexOf('--only') + 1] ?? ''
    const isPossible = programs[name] === 'own' || (own.includes('--only') && withoutPeers.test(only))
    if (isPossible || existsSync(join(peers, 'node_modules')))
      return execNode([join(import.meta.dirname, 'comparison', `${name}.mjs`), ...own])
    console.error(
      'The peers are not installed. Run "npm ci --prefix bench/peers" first, give --install, or compare with --only quaero,raw,bare.',
    )
    process.exitCode = 2
  }
}

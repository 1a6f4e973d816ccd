import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** These need nothing but Quaero's own packages. */
const withoutPeers = /^(quaero|raw|bare)(,(quaero|raw|bare))*$/

/**
 * Builds what is compared, if it is not, and installs the peers for `--install`. Returns the other arguments; null,
 * having said why, where peers are asked for that are not installed.
 */
export function preparePeers(args: readonly string[]): readonly string[] | null {
  const root = join(import.meta.dirname, '..')
  const folder = join(import.meta.dirname, 'peers')
  execFileSync(process.execPath, [join(root, 'scripts', 'build-if-stale.mjs')], { stdio: 'inherit' })
  if (args.includes('--install')) execFileSync('npm', ['ci', '--prefix', folder], { stdio: 'inherit' })
  const own = args.filter((each) => each !== '--install')
  const only = own[own.indexOf('--only') + 1] ?? ''
  if (existsSync(join(folder, 'node_modules')) || (own.includes('--only') && withoutPeers.test(only))) return own
  console.error(
    'The peers are not installed. Run "npm ci --prefix bench/peers" first, give --install, or compare with --only quaero,raw,bare.',
  )
  process.exitCode = 2
  return null
}

// Builds dist unless it is newer than everything in src: for tests and benchmarks that run the built package.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const built = join(root, 'dist', 'cli', 'main.js')
const newest = readdirSync(join(root, 'src'), { recursive: true }).map(
  (path) => statSync(join(root, 'src', path)).mtimeMs,
)
if (!existsSync(built) || Math.max(...newest) > statSync(built).mtimeMs) {
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, 'build.mjs')], { stdio: 'inherit' })
  process.exitCode = status ?? 1
}

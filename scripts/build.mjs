// Compiles src to dist, from scratch, and marks the command as executable. Runs on `npm ci` and before packing.
import { spawnSync } from 'node:child_process'
import { chmodSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc')
rmSync(join(root, 'dist'), { recursive: true, force: true })
const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
if (status === 0) chmodSync(join(root, 'dist', 'cli', 'main.js'), 0o755)
process.exitCode = status ?? 1

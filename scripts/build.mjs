// Compiles src to dist, from scratch, and marks the command as executable. Runs on `npm ci` and before packing.
// The old dist gives way at the end, so that a program that runs from it does not find it half empty, and stays if
// there are errors.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '..')
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc')
const fresh = join(root, 'node_modules', `.quaero-dist-${process.pid}`)
const command = [compiler, '-p', 'tsconfig.build.json', '--outDir', fresh]
const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' })
if (status === 0) {
  chmodSync(join(fresh, 'cli', 'main.js'), 0o755)
  writeFileSync(join(fresh, 'parsed-yaml.json'), JSON.stringify(parsedYaml()))
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  renameSync(fresh, join(root, 'dist'))
} else {
  rmSync(fresh, { recursive: true, force: true })
}
process.exitCode = status ?? 1

/** The package's own YAML, by the hash of its text: what `src/yaml.ts` looks up. */
function parsedYaml() {
  const settings = readFileSync(join(root, 'config', 'default.yaml'), 'utf8')
  const prompts = readdirSync(join(root, 'prompts')).map((name) => readFileSync(join(root, 'prompts', name), 'utf8'))
  const headers = prompts.map((text) => /^---\n([\s\S]*?)\n---\n/.exec(text)?.[1] ?? '')
  return Object.fromEntries(
    [settings, ...headers].map((text) => [createHash('sha256').update(text).digest('hex'), parse(text)]),
  )
}

// Measures what a user installs: packs the package, installs the tarball into an empty project outside this checkout, and
// prints a table. Exit 1 if a figure misses its limit. Needs the package registry. `--keep` keeps the project; `--built`
// takes the SQLite binary of this checkout, where a prebuilt one cannot be fetched and compiling would take minutes.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The largest installation, in MB. */
const maxInstalledMb = 150
/** Tools of this repository that a user never needs. */
const unwanted = ['typescript', 'tsx', 'esbuild', 'vitest', '@biomejs']

const sqliteBinary = join('better-sqlite3', 'build', 'Release', 'better_sqlite3.node')

const root = join(import.meta.dirname, '..')
const project = mkdtempSync(join(tmpdir(), 'quaero-measure-'))
const modules = join(project, 'node_modules')
const rows = []

try {
  run(process.execPath, [join(root, 'scripts', 'build-if-stale.mjs')], root)
  writeFileSync(join(project, 'package.json'), '{ "name": "a-user", "private": true, "type": "module" }')
  const tarball = pack()
  const isBuilt = process.argv.includes('--built')
  const options = ['--omit=dev', '--no-audit', '--no-fund', ...(isBuilt ? ['--ignore-scripts'] : [])]
  run('npm', ['install', ...options, tarball])
  if (isBuilt) cpSync(join(root, 'node_modules', sqliteBinary), join(modules, sqliteBinary))
  measureSize()
  measureTypes()
  measureUse()
  for (const { what, found, ok } of rows) console.log(`${ok ? 'ok  ' : 'FAIL'}  ${what.padEnd(34)}  ${found}`)
  process.exitCode = rows.every(({ ok }) => ok) ? 0 : 1
} finally {
  if (process.argv.includes('--keep')) console.log(project)
  else rmSync(project, { recursive: true, force: true })
}

function pack() {
  // Without scripts: dist is fresh.
  const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', project]
  const [{ filename, size, files }] = JSON.parse(run('npm', words, root))
  add('tarball', `${megabytes(size)} MB, ${files.length} files`)
  return `./${filename}`
}

function measureSize() {
  const packages = installedPackages()
  const total = megabytes(sizeOf(modules))
  add('installed', `${total} MB in ${packages.length} packages, at most ${maxInstalledMb}`, total <= maxInstalledMb)
  const largest = packages.toSorted((a, b) => b.size - a.size).slice(0, 12)
  add('largest packages', largest.map(({ name, size }) => `${name} ${megabytes(size)}`).join(', '))
  const found = unwanted.filter((name) => existsSync(join(modules, name)))
  add('without build tools', found.join(', ') || 'none installed', found.length === 0)
}

/** The types in a program of a user who checks those of libraries too. */
function measureTypes() {
  for (const name of ['typescript', '@types/node']) link(name)
  writeFileSync(
    join(project, 'ask.ts'),
    `import { createQuaero, type RunResult } from 'quaero'
const quaero = await createQuaero({ documents: ['papers'] })
export const result: RunResult = await quaero.ask('Why?')
`,
  )
  const options = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'ES2023', '--module', 'NodeNext']
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { stdout, status } = spawnSync(process.execPath, [compiler, ...options, '--types', 'node', 'ask.ts'], {
    cwd: project,
    encoding: 'utf8',
  })
  const errors = stdout.split('\n').filter((line) => /error TS\d+/.test(line))
  const owners = errors.map((line) => /node_modules\/((?:@[^/]+\/)?[^/(]+)/.exec(line)?.[1] ?? 'the program')
  const found = [...new Set(owners)]
    .map((name) => `${name} (${owners.filter((each) => each === name).length})`)
    .join(', ')
  add('types, skipLibCheck: false', found || 'no errors', status === 0)
  for (const line of errors.slice(0, 20)) add('', line, false)
}

function measureUse() {
  const program = join(modules, 'quaero', 'dist', 'cli', 'main.js')
  add('quaero --version', run(process.execPath, [program, '--version']).trim())
  cpSync(join(modules, 'quaero', 'examples', 'papers'), join(project, 'papers'), { recursive: true })
  const question = 'What share of the messages is lost when ten runs start at once?'
  const answer = run(process.execPath, [program, 'ask', question, '-d', 'papers'])
  add('quaero ask, without a key', answer.split('\n')[0], answer.includes('90% for ten.'))
}

function link(name) {
  const path = join(modules, name)
  if (!existsSync(path)) symlinkSync(join(root, 'node_modules', name), path)
}

function installedPackages(folder = modules) {
  return readdirSync(folder).flatMap((name) => {
    if (name.startsWith('.')) return []
    const path = join(folder, name)
    if (!name.startsWith('@')) return [{ name, size: sizeOf(path) }]
    return readdirSync(path).map((own) => ({ name: `${name}/${own}`, size: sizeOf(join(path, own)) }))
  })
}

/** Bytes on disk, in blocks, as `du` counts them where the system has blocks. */
function sizeOf(path) {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true })
  return entries.reduce((sum, entry) => {
    if (!entry.isFile()) return sum
    const { blocks, size } = statSync(join(entry.parentPath, entry.name))
    return sum + (blocks ? blocks * 512 : size)
  }, 0)
}

function run(command, words, cwd = project) {
  const shell = process.platform === 'win32' && command === 'npm'
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    SystemRoot: process.env.SystemRoot,
    QUAERO_HOME: project,
  }
  const { stdout, stderr, status, error } = spawnSync(command, words, { cwd, env, shell, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${words.join(' ')} failed:\n${stdout}${stderr}`, { cause: error })
  return stdout
}

function add(what, found, ok = true) {
  rows.push({ what, found, ok })
}

function megabytes(bytes) {
  return Math.round(bytes / 1e5) / 10
}

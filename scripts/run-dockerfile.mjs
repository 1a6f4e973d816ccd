// Executes the steps of a Dockerfile where there is no Docker: `node scripts/run-dockerfile.mjs`. Each stage is a folder in
// place of a file system, and Node is the one that runs this. It shows that the steps work on a clean copy and that what is
// copied is enough to start; not that the images are right. Prints the folder of the last stage, and runs its entry point.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'

/** The instructions of a Dockerfile, as pairs of name and words. */
function instructionsOf(text) {
  const lines = text.replace(/\\\n/g, ' ').split('\n')
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1).trim()])
}

/** The names at the top of a folder that .dockerignore lets through; it names what is sent, after `*`. */
function sentNames(folder) {
  const rules = readFileSync(join(folder, '.dockerignore'), 'utf8').split('\n')
  if (!rules.includes('*')) throw new Error('.dockerignore must begin with "*", and name what is sent.')
  const sent = rules.filter((rule) => rule.startsWith('!')).map((rule) => rule.slice(1))
  return sent.filter((name) => existsSync(join(folder, name)))
}

function copy(words, state) {
  const paths = words.filter((word) => !word.startsWith('--'))
  const to = paths.pop()
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length)
  const sources = paths.flatMap((path) => sourcesOf(path, from, state))
  // A folder that is named gives what it holds.
  const isInto = (source) => paths[0] === '.' || !statSync(source).isDirectory()
  const isFolder = paths[0] === '.' || to.endsWith('/') || sources.length > 1
  const target = inStage(state.stage, to)
  for (const source of sources) {
    cpSync(source, isFolder && isInto(source) ? join(target, basename(source)) : target, { recursive: true })
  }
}

function sourcesOf(path, from, { stages, context }) {
  if (from) return [inStage(stages.get(from), path)]
  return path === '.' ? sentNames(context).map((name) => join(context, name)) : [join(context, path)]
}

function inStage(stage, path) {
  return path.startsWith('/') ? join(stage.root, path) : join(stage.root, stage.workFolder, path)
}

/** What each instruction does to the state of the execution. */
const effects = {
  FROM(state, rest) {
    const { stages, folder } = state
    state.stage = { root: join(folder, `stage-${stages.size}`), workFolder: '/', environment: {}, user: 'root' }
    stages.set(rest.split(' AS ')[1] ?? '', state.stage)
    mkdirSync(state.stage.root)
  },
  WORKDIR({ stage }, rest) {
    stage.workFolder = rest
    mkdirSync(join(stage.root, rest), { recursive: true })
  },
  COPY: (state, rest) => copy(rest.split(/\s+/), state),
  ENV: ({ stage }, rest) =>
    Object.assign(stage.environment, Object.fromEntries(rest.split(/\s+/).map((word) => word.split('=')))),
  RUN: ({ stage }, rest) => run(rest, stage),
  USER({ stage }, rest) {
    stage.user = rest
  },
  ENTRYPOINT({ stage }, rest) {
    stage.entryPoint = JSON.parse(rest)
  },
  // They are of those who start the image.
  VOLUME: () => {},
  EXPOSE: () => {},
  CMD: () => {},
}

/** Executes all steps in `folder`, and returns the last stage. Throws where a step fails, or an instruction is unknown. */
function execute(context, folder) {
  const state = { context, folder, stages: new Map(), stage: null }
  for (const [name, rest] of instructionsOf(readFileSync(join(context, 'Dockerfile'), 'utf8'))) {
    console.error(`${name} ${rest}`)
    if (!Object.hasOwn(effects, name)) throw new Error(`${name} is not known here.`)
    effects[name](state, rest)
  }
  return state.stage
}

function run(command, { root, workFolder, environment }) {
  const options = { cwd: join(root, workFolder), env: { ...process.env, ...environment }, stdio: 'inherit' }
  execFileSync('/bin/sh', ['-ec', command], options)
}

/** Starts the entry point with these words, on the files of its stage. */
function start({ root, entryPoint, environment, user }, words) {
  if (user === 'root') throw new Error('The image would run as root.')
  const inRoot = (value) => (value.startsWith('/') ? join(root, value) : value)
  const env = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, inRoot(value)]))
  const [program, ...given] = entryPoint
  const options = { cwd: root, env: { PATH: process.env.PATH, ...env }, stdio: 'inherit' }
  return spawnSync(program, [...given.map(inRoot), ...words], options).status
}

const context = resolve(process.argv[2] ?? '.')
const folder = mkdtempSync(join(tmpdir(), 'quaero-image-'))
try {
  const last = execute(context, folder)
  for (const words of [['--version'], ['doctor', '--help']]) {
    if (start(last, words) !== 0) throw new Error(`The image does not run "${words.join(' ')}".`)
  }
  console.error(`The last stage holds: ${readdirSync(last.root).join(', ')}`)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

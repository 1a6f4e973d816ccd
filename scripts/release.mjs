// Checks that this checkout can be released, packs it and inspects the tarball: `node scripts/release.mjs`. With
// `--publish` it publishes what it has inspected, with provenance; the release workflow calls that for a pushed tag.
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const { name, version, repository } = JSON.parse(read('package.json'))
const publish = process.argv.includes('--publish')

try {
  checkTree()
  checkVersion()
  run('npm', ['test'])
  run('npm', ['run', 'test:slow'])
  run(process.execPath, ['scripts/build.mjs'])
  const tarball = pack()
  writeBillOfMaterials()
  if (publish) run('npm', ['publish', tarball, '--provenance', '--access', 'public'])
  rmSync(join(root, tarball))
  console.log(`${name} ${version} ${publish ? 'is published' : 'can be released: tag it v'.concat(version)}`)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

function checkTree() {
  demand(
    output('git', ['status', '--porcelain']) === '',
    'The working tree is not clean. Commit or stash your changes.',
  )
}

function checkVersion() {
  demand(
    new RegExp(`^## ${version.replaceAll('.', '\\.')}\\b`, 'm').test(read('CHANGELOG.md')),
    `CHANGELOG.md has no entry "## ${version}". Rename "## Unreleased".`,
  )
  const locked = JSON.parse(read('package-lock.json')).version
  demand(locked === version, `package-lock.json has version ${locked}, not ${version}. Run npm install.`)
  if (!publish) return
  demand(repository?.url, 'package.json names no "repository", which npm needs to prove where the package was built.')
  const tags = output('git', ['tag', '--points-at', 'HEAD']).split('\n')
  demand(tags.includes(`v${version}`), `The commit has no tag v${version}.`)
}

/** Returns the tarball's name, once it holds what it must and nothing else. */
function pack() {
  // Without scripts: dist has just been built.
  const [{ filename, files }] = JSON.parse(output('npm', ['pack', '--ignore-scripts', '--json']))
  const paths = files.map(({ path }) => path)
  const links = [...read('README.md').matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link)
  const wanted = ['dist/index.js', 'dist/index.d.ts', 'dist/cli/main.js', 'LICENSE', 'README.md', ...links]
  const missing = wanted.filter((path) => !paths.some((each) => each === path || each.startsWith(`${path}/`)))
  demand(missing.length === 0, `The tarball lacks ${missing.join(', ')}.`)
  const stray = paths.filter((path) => /^(src|tests|bench|scripts|\.)|\.(env|db|log)$/.test(path))
  demand(stray.length === 0, `The tarball holds what it should not: ${stray.join(', ')}.`)
  console.log(`${filename}: ${paths.length} files`)
  return filename
}

/** What a user installs with the package, by name, version, licence and checksum, in CycloneDX's format. */
function writeBillOfMaterials() {
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only', '--sbom-type', 'library']
  const bill = output('npm', words)
  demand(JSON.parse(bill).components.length > 0, 'npm sbom lists no packages.')
  writeFileSync(join(root, `${name}-${version}.cdx.json`), bill)
}

function demand(isMet, message) {
  if (!isMet) throw new Error(message)
}

function run(command, words) {
  const { status } = spawnSync(command, words, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' })
  demand(status === 0, `${command} ${words.join(' ')} failed.`)
}

function output(command, words) {
  const { stdout, stderr, status } = spawnSync(command, words, {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  demand(status === 0, `${command} ${words.join(' ')} failed:\n${stderr}`)
  return stdout.trim()
}

function read(path) {
  return readFileSync(join(root, path), 'utf8')
}

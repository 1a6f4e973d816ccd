// Checks every package that package-lock.json installs: an allowed licence, no install script but the known ones, a checksum,
// npm's registry as its source; and that package.json names exact versions. `node scripts/check-dependencies.mjs
// [--list] [folder]`; exit 1 with a line for each package that fails. `--list` prints the licences of what a user installs.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const [root = join(import.meta.dirname, '..')] = process.argv.slice(2).filter((word) => word !== '--list')
const read = (name) => JSON.parse(readFileSync(join(root, name), 'utf8'))

/** Licences that allow use, change and distribution in any program; one of those of an expression is enough. */
const allowed = new Set('MIT ISC 0BSD BSD BSD-2-Clause BSD-3-Clause Apache-2.0 Zlib BlueOak-1.0.0'.split(' '))
/** Of tools and tests, which are not distributed. */
const allowedHere = new Set(['MPL-2.0', 'CC-BY-4.0', 'Python-2.0'])
/** better-sqlite3 fetches or builds its binding; esbuild, which builds the package, checks its own; tesseract.js asks for donations. */
const withScripts = new Set(['better-sqlite3', 'esbuild', 'tesseract.js'])
const registry = 'https://registry.npmjs.org/'

const packages = Object.entries(read('package-lock.json').packages)
  .filter(([path]) => path !== '')
  .map(([path, entry]) => ({ ...entry, name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length) }))
const { dependencies, devDependencies, peerDependencies } = read('package.json')
const pins = [dependencies, devDependencies, peerDependencies].flatMap((each) => Object.entries(each ?? {}))

const problems = [
  ...pins.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)).map(([name]) => `${name} is not pinned`),
  ...packages.flatMap(problemsOf),
]
if (process.argv.includes('--list')) printLicences()
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0

function problemsOf({ name, version, license = 'none', dev, optional, hasInstallScript, integrity, resolved }) {
  const which = `${name} ${version}`
  return [
    ...(isAllowed(license, dev) ? [] : [`${which} has the licence ${license}, which is not among those allowed`]),
    ...(hasInstallScript && !withScripts.has(name) ? [`${which} runs a script when it is installed`] : []),
    // npm leaves the checksum out for development tools of other platforms.
    ...(integrity?.startsWith('sha512-') || (dev && optional) ? [] : [`${which} has no checksum`]),
    // Absent is the registry that npm is configured for.
    ...(resolved === undefined || resolved.startsWith(registry) ? [] : [`${which} comes from ${resolved}`]),
  ]
}

/** An expression such as "(MIT OR GPL-3.0-or-later)" or "(MIT AND Zlib)". */
function isAllowed(license, isDev = false) {
  // Platform packages of development tools often name none.
  if (isDev && license === 'none') return true
  const fits = (id) => allowed.has(id) || (isDev && allowedHere.has(id))
  return license
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((part) => part.split(' AND ').every(fits))
}

function printLicences() {
  const runtime = packages.filter(({ dev }) => !dev)
  for (const { name, version, license } of runtime) console.log(`${license}\t${name} ${version}`)
}

import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const fromDoor = /^(import|export)( type)? \{([^}]*)\} from '(\.[^']*\/index\.ts)'/gm
const doors = new Map()

/**
 * esbuild counts all that a door names as reached by whoever enters it, and would load it with the command, or in the
 * threads. So an import from a door becomes one from the files that it names.
 */
export function throughDoors({ onLoad }) {
  onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => ({
    loader: 'ts',
    contents: pastDoors(readFileSync(path, 'utf8'), path),
  }))
}

/**
 * The text of a module, or of its types, with each import from a door as imports from the files that the door names, on
 * as many lines as before, for the source maps. Types are left out of a module, which does not load them.
 */
export function pastDoors(text, path) {
  const isTypes = path.endsWith('.d.ts')
  return text.replace(fromDoor, (whole, keyword, allTypes = '', names, door) => {
    if (allTypes !== '' && !isTypes) return whole
    const files = namedIn(atPath(dirname(path), door, isTypes))
    const wanted = names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && (isTypes || !name.startsWith('type ')))
    const fileOf = (name) => files.get(bare(name).split(' as ')[0])
    if (!wanted.every(fileOf)) return whole
    const imports = wanted.map((name) => {
      const file = relative(dirname(path), fileOf(name))
        .replaceAll('\\', '/')
        .replace(/\.d\.ts$/, '.ts')
      return `${keyword}${allTypes} { ${name} } from '${file.startsWith('.') ? '' : './'}${file}'`
    })
    return imports.join('; ') + '\n'.repeat(whole.split('\n').length - 1)
  })
}

/** The file of each name that a door gives from a file. */
function namedIn(door) {
  if (!doors.has(door)) {
    const isTypes = door.endsWith('.d.ts')
    const found = Array.from(readFileSync(door, 'utf8').matchAll(/^export (?:type )?\{([^}]*)\} from '([^']*)'/gm))
    const files = found.flatMap(([, names, file]) =>
      names.split(',').map((name) => [bare(name.trim()), atPath(dirname(door), file, isTypes)]),
    )
    doors.set(door, new Map(files))
  }
  return doors.get(door)
}

function atPath(folder, file, isTypes) {
  const path = join(folder, file)
  return isTypes ? path.replace(/\.ts$/, '.d.ts') : path
}

function bare(name) {
  return name.replace(/^type /, '')
}

/**
 * What the types of these entry points reach, past doors: for the path of each file its text, and the packages it names.
 */
export function publishedTypes(folder, entries) {
  const reached = new Map()
  const pending = entries.map((name) => join(folder, name))
  while (pending.length > 0) {
    const path = pending.pop()
    if (reached.has(path)) continue
    const text = pastDoors(readFileSync(path, 'utf8'), path)
    const named = Array.from(text.matchAll(/(?:from |import\()['"]([^'"]+)['"]/g), ([, name]) => name)
    const packages = named.filter((name) => !/^\.|^node:/.test(name)).map(packageOf)
    reached.set(path, { text, packages })
    for (const name of named) if (name.startsWith('.')) pending.push(atPath(dirname(path), name, true))
  }
  return reached
}

function packageOf(name) {
  const parts = name.split('/')
  return parts.slice(0, name.startsWith('@') ? 2 : 1).join('/')
}

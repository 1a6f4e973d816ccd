import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const namedImport = /^(import|export) \{([^}]*)\} from '(\.[^']*\/index\.ts)'/gm
const doors = new Map()

/**
 * esbuild counts all that a door names as reached by whoever enters it, and would load it with the command, or in the
 * threads. So an import from a door becomes one from the files that it names.
 */
export function throughDoors({ onLoad }) {
  onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => ({
    loader: 'ts',
    contents: readFileSync(path, 'utf8').replace(namedImport, (whole, keyword, names, door) => {
      const files = namedIn(join(dirname(path), door))
      const wanted = names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '' && !name.startsWith('type '))
      if (!wanted.every((name) => files.has(name.split(' as ')[0]))) return whole
      const imports = wanted.map((name) => {
        const file = relative(dirname(path), files.get(name.split(' as ')[0])).replaceAll('\\', '/')
        return `${keyword} { ${name} } from './${file}'`
      })
      // As many lines as before, for the source maps.
      return imports.join('; ') + '\n'.repeat(whole.split('\n').length - 1)
    }),
  }))
}

/** The file of each name that a door gives from a file. */
function namedIn(door) {
  if (!doors.has(door)) {
    const found = Array.from(readFileSync(door, 'utf8').matchAll(/^export \{([^}]*)\} from '([^']*)'/gm))
    const files = found.flatMap(([, names, file]) =>
      names.split(',').map((name) => [name.trim(), join(dirname(door), file)]),
    )
    doors.set(door, new Map(files))
  }
  return doors.get(door)
}

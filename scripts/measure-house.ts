/** Prints the measurements of the source tree that are kept small. Run it: npx tsx scripts/measure-house.ts */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'
import { ringsAmongSubfolders, sourceFiles } from './source-tree.ts'

const offline = /^offline\//
const kernel = /^(?:events|graph|agents|runs)\//

const files = sourceFiles().map((file) => {
  const source = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true)
  return { ...file, lines: file.text.split('\n').length - 1, ...counted(source) }
})

function counted(source: ts.SourceFile) {
  const found = { expressions: 0, casts: 0, nonNull: 0, longFunctions: 0 }
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node) || isRegExpConstructor(node)) found.expressions += 1
    if (ts.isAsExpression(node) && !ts.isConstTypeReference(node.type)) found.casts += 1
    if (ts.isNonNullExpression(node)) found.nonNull += 1
    if (ts.isFunctionLike(node) && linesOf(node, source) > 60) found.longFunctions += 1
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function isRegExpConstructor(node: ts.Node): boolean {
  return (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp'
}

function linesOf(node: ts.Node, source: ts.SourceFile): number {
  const [begin, end] = [node.getStart(source), node.end].map((at) => source.getLineAndCharacterOfPosition(at).line)
  return (end ?? 0) - (begin ?? 0) + 1
}

/** Names that a file takes from another, directly or through a door. */
function namesTaken({ path, text }: { readonly path: string; readonly text: string }): readonly string[] {
  const taken = text.matchAll(/^(?:import|export) (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm)
  return Array.from(taken).flatMap(([, names = '', from = '']) => {
    const to = normalize(join(dirname(path), from))
    return namesIn(names).map((name) => `${givenBy.get(`${to} ${name}`) ?? to} ${name}`)
  })
}

function namesIn(list: string): readonly string[] {
  const names = list.split(',').map(
    (each) =>
      each
        .trim()
        .replace(/^type /, '')
        .split(' as ')[0] ?? '',
  )
  return names.filter((name) => name !== '')
}

/** The file that stands behind a name of a door. */
const givenBy = new Map(
  files
    .filter(({ path }) => /^[^/]+\/index\.ts$/.test(path))
    .flatMap(({ path, text }) =>
      Array.from(text.matchAll(/^export (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm)).flatMap(
        ([, names = '', from = '']) =>
          namesIn(names).map((name): [string, string] => [`${path} ${name}`, normalize(join(dirname(path), from))]),
      ),
    ),
)

/** How many other files take each exported name that any file takes. */
function takers(): readonly number[] {
  const count = new Map<string, number>()
  // A door passes names on.
  const takers = files.filter(({ path }) => !/^[^/]+\/index\.ts$/.test(path))
  for (const name of takers.flatMap((file) => [...new Set(namesTaken(file))]))
    count.set(name, (count.get(name) ?? 0) + 1)
  return [...count.values()]
}

function linesBelow(folder: string): number {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.(?:tsx?|mjs|cjs)$/.test(path),
  )
  return paths.reduce((total, path) => total + readFileSync(join(folder, path), 'utf8').split('\n').length - 1, 0)
}

const uses = takers()
const rings = ringsAmongSubfolders(files).map(({ area, folders }) => `${area}: ${folders.join(', ')}`)

const sum = (of: 'lines' | 'expressions' | 'casts' | 'nonNull' | 'longFunctions', some = files) =>
  some.reduce((total, file) => total + file[of], 0)
const withoutOffline = files.filter(({ path }) => !offline.test(path))
const inKernel = files.filter(({ path }) => kernel.test(path))
const folders = [...new Set(files.map(({ path }) => dirname(path)))]
const filesIn = (folder: string) => files.filter(({ path }) => dirname(path) === folder).length
const importersOf = (path: string) => files.filter(({ imports }) => imports.includes(path)).length
const readme = readFileSync('README.md', 'utf8')

console.table({
  'lines in src': sum('lines'),
  'lines in src without answers by rule': sum('lines', withoutOffline),
  'files in src': files.length,
  'kernel lines': sum('lines', inKernel),
  'kernel files': inKernel.length,
  'regular expressions': sum('expressions'),
  'regular expressions without answers by rule': sum('expressions', withoutOffline),
  casts: sum('casts'),
  'non-null assertions': sum('nonNull'),
  'files over 300 lines': files.filter(({ lines }) => lines > 300).length,
  'functions over 60 lines': sum('longFunctions'),
  'folders over 12 files': folders.filter((folder) => filesIn(folder) > 12).length,
  'areas with rings among subfolders': rings.length,
  'README lines': readme.split('\n').length - 1,
  'README words': readme.split(/\s+/).filter(Boolean).length,
  'files under 60 lines': files.filter(({ lines }) => lines < 60).length,
  'names that exactly one other file takes, of those that any takes, in %': Math.round(
    (100 * uses.filter((count) => count === 1).length) / uses.length,
  ),
  'lines in tests': linesBelow('tests'),
  'lines in bench': linesBelow('bench'),
  'lines in scripts': linesBelow('scripts'),
  'files of at most 60 lines with one importer': files.filter(
    ({ path, lines }) => lines <= 60 && importersOf(path) === 1,
  ).length,
})
for (const ring of rings) console.log(`ring in ${ring}`)

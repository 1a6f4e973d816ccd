/** Prints the measurements of the source tree that are kept small. Run it: npx tsx scripts/measure-house.ts */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import ts from 'typescript'

const offline = /^(?:models\/extractive|offline)\//
const kernel = /^(?:events|graph|agents|runs)\//

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((path) => {
    const text = readFileSync(join('src', path), 'utf8')
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
    const imports = ts
      .preProcessFile(text)
      .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
      .map(({ fileName }) => normalize(join(dirname(path), fileName)))
    return { path, source, imports, lines: text.split('\n').length - 1, ...counted(source) }
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

type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** Which subfolders of an area import from each other; a file directly in the area counts as a folder of its own. */
function subfolders(area: string): Graph {
  const folderOf = (path: string) => relative(area, dirname(path)) || '.'
  const graph = new Map<string, Set<string>>()
  for (const { path, imports } of files.filter((file) => file.path.startsWith(`${area}/`))) {
    const inside = imports.filter((to) => to.startsWith(`${area}/`)).map(folderOf)
    const known = graph.get(folderOf(path)) ?? new Set()
    graph.set(folderOf(path), new Set([...known, ...inside.filter((to) => to !== folderOf(path))]))
  }
  return graph
}

function reachable(graph: Graph, from: string, seen = new Set<string>()): ReadonlySet<string> {
  for (const to of graph.get(from) ?? []) {
    if (seen.has(to)) continue
    seen.add(to)
    reachable(graph, to, seen)
  }
  return seen
}

const areas = [...new Set(files.flatMap(({ path }) => (path.includes('/') ? [path.split('/')[0] ?? ''] : [])))].sort()
const rings = areas.flatMap((area) => {
  const graph = subfolders(area)
  const ring = [...graph.keys()].filter((folder) => reachable(graph, folder).has(folder))
  return ring.length > 0 ? [`${area}: ${ring.join(', ')}`] : []
})

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
  'files of at most 60 lines with one importer': files.filter(
    ({ path, lines }) => lines <= 60 && importersOf(path) === 1,
  ).length,
})
for (const ring of rings) console.log(`ring in ${ring}`)

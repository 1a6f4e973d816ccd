/** The source files and who imports whom: what the measurements and the tests of the architecture share. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import ts from 'typescript'

export interface SourceFile {
  /** Below `src`. */
  readonly path: string
  readonly text: string
  /** Paths below `src`, lazy imports included. */
  readonly imports: readonly string[]
  readonly packages: readonly string[]
}

export function sourceFiles(): readonly SourceFile[] {
  return readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((path) => {
      const text = readFileSync(join('src', path), 'utf8')
      const names = ts.preProcessFile(text).importedFiles.map(({ fileName }) => fileName)
      const [own, packages] = [
        names.filter((name) => name.startsWith('.')),
        names.filter((name) => !name.startsWith('.')),
      ]
      return { path, text, imports: own.map((name) => normalize(join(dirname(path), name))), packages }
    })
}

/** The first folder of a path, or the name of a file that is in none. */
export function areaOf(path: string): string {
  return (path.split('/')[0] ?? '').replace(/\.ts$/, '')
}

/** The file by which others enter an area. */
export function doorOf(area: string): string {
  return `${area}/index.ts`
}

/** Subfolders of an area that import each other, directly or not. A file in the area's own folder belongs to `.`. */
export interface Ring {
  readonly area: string
  readonly folders: readonly string[]
}

export function ringsAmongSubfolders(files: readonly Pick<SourceFile, 'path' | 'imports'>[]): readonly Ring[] {
  const areas = [...new Set(files.filter(({ path }) => path.includes('/')).map(({ path }) => areaOf(path)))].sort()
  return areas.flatMap((area) => ringsOf(importsAmongSubfolders(area, files)).map((folders) => ({ area, folders })))
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>

function importsAmongSubfolders(area: string, files: readonly Pick<SourceFile, 'path' | 'imports'>[]): Graph {
  const folderOf = (path: string) => relative(area, dirname(path)) || '.'
  const graph = new Map<string, Set<string>>()
  for (const { path, imports } of files.filter((file) => file.path.startsWith(`${area}/`))) {
    const from = folderOf(path)
    const known = graph.get(from) ?? new Set()
    graph.set(from, known)
    // The door of an area names what stands in its folders, and nothing in them names the door.
    if (path === doorOf(area)) continue
    for (const to of imports) if (to.startsWith(`${area}/`) && folderOf(to) !== from) known.add(folderOf(to))
  }
  return graph
}

/** The strongly connected components of more than one folder. */
function ringsOf(graph: Graph): readonly (readonly string[])[] {
  const reached = new Map([...graph.keys()].map((folder) => [folder, reachable(graph, folder)]))
  const meets = (one: string, other: string) => reached.get(one)?.has(other) && reached.get(other)?.has(one)
  const rings = [...graph.keys()].map((folder) => [...graph.keys()].filter((other) => meets(folder, other)))
  return rings.filter((ring, at) => ring.length > 1 && rings.findIndex(([first]) => first === ring[0]) === at)
}

function reachable(graph: Graph, from: string, seen = new Set<string>()): ReadonlySet<string> {
  for (const to of graph.get(from) ?? []) {
    if (seen.has(to)) continue
    seen.add(to)
    reachable(graph, to, seen)
  }
  return seen
}

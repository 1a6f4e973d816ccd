import { resolve, sep } from 'node:path'
import type { SourceRecord } from './passage-index.ts'

/** The files of the library that lie below a folder, by its real path. */
export function sourcesIn(root: string, sources: readonly SourceRecord[]): readonly SourceRecord[] {
  const beginning = root.endsWith(sep) ? root : root + sep
  return sources.filter((each) => locationIn(each).startsWith(beginning))
}

export function locationIn({ location, source }: SourceRecord): string {
  return location ?? resolve(source)
}

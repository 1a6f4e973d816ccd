import { resolve, sep } from 'node:path'
import type { SourceRecord } from './passage-index.ts'

/** Where the file of a source lies. */
export function locationIn({ location, source }: Pick<SourceRecord, 'location' | 'source'>): string {
  return location ?? resolve(source)
}

/** Those of the sources that lie below a folder, by its real path. */
export function sourcesBelow(folder: string, sources: readonly SourceRecord[]): readonly SourceRecord[] {
  const beginning = folder.endsWith(sep) ? folder : folder + sep
  return sources.filter((each) => locationIn(each).startsWith(beginning))
}

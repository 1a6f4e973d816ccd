import { basename } from 'node:path'
import type { DocumentRecord } from './port/document.ts'

/** What a document is called: its title, else the name of its file, or its address on the web. Folders are told to nobody. */
export function documentName({ title, source }: Pick<DocumentRecord, 'title' | 'source'>): string {
  return title ?? (isWebAddress(source) ? source : basename(source))
}

export function isWebAddress(source: string): boolean {
  return /^https?:\/\//i.test(source)
}

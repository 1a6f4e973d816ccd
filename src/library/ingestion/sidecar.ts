import { lstat, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { DocumentUnreadable } from '../../errors.ts'
import { parseYaml } from '../../yaml.ts'
import type { StatedMetadata } from '../port/document.ts'
import { isReadable } from '../readers/read-document.ts'
import { parseStatedMetadata } from './stated-metadata.ts'

/** What stands beside a document. */
export interface Sidecar {
  readonly stated: StatedMetadata
  /** Why it was refused. */
  readonly problem: DocumentUnreadable | null
}

const suffix = '.yaml'
const mostBytes = 64 * 1024

/** The file beside a document in which a person states its title, authors or year: `paper.pdf.yaml`. */
export function sidecarOf(path: string): string {
  return `${path}${suffix}`
}

/** The document beside which such a file would stand; null for files of other names. */
export function documentBeside(path: string): string | null {
  const document = path.endsWith(suffix) ? path.slice(0, -suffix.length) : ''
  return isReadable(document) ? document : null
}

/** Reads what stands beside a document; null if nothing does. Links are not followed. */
export async function readSidecar(path: string): Promise<Sidecar | null> {
  const file = sidecarOf(path)
  const status = await lstat(file).catch(() => null)
  if (!status) return null
  if (!status.isFile() || status.size > mostBytes) {
    return refused(file, `it must be a plain file of at most ${mostBytes / 1024} kB`)
  }
  try {
    const parsed = parseStatedMetadata(parseYaml(await readFile(file, 'utf8')))
    if ('problem' in parsed) return refused(file, parsed.problem)
    const stated = Object.entries(parsed.change).filter(([, value]) => value !== null)
    return { stated: Object.fromEntries(stated), problem: null }
  } catch (error) {
    // The rest of the message quotes the file over several lines.
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n')
    return refused(file, `it is not valid YAML (${reason?.replace(/:$/, '')})`)
  }
}

function refused(file: string, why: string): Sidecar {
  const message = `What ${basename(file)} says was not taken over: ${why}. Correct it and add the document again`
  return { stated: {}, problem: new DocumentUnreadable('sidecar_invalid', message) }
}

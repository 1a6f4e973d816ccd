import { lstat, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { z } from 'zod'
import { DocumentUnreadable } from '../../errors.ts'
import { parseYaml } from '../../yaml.ts'
import type { MetadataChange, StatedMetadata } from '../port/document.ts'
import { cleanLine } from '../readers/common/clean-text.ts'
import { isReadable } from '../readers/read-document.ts'

interface Sidecar {
  readonly stated: StatedMetadata
  readonly problem: DocumentUnreadable | null
}

const suffix = '.yaml'
const mostBytes = 64 * 1024

/** The document that a sidecar of this name describes; null for other names. */
export function documentBeside(path: string): string | null {
  const document = path.endsWith(suffix) ? path.slice(0, -suffix.length) : ''
  return isReadable(document) ? document : null
}

/** Reads `paper.pdf.yaml`, which states title, authors or year of `paper.pdf`; null if there is none. Follows no links. */
export async function readSidecar(path: string): Promise<Sidecar | null> {
  const file = `${path}${suffix}`
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
    // The other lines of the message quote the file.
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n')
    return refused(file, `it is not valid YAML (${reason?.replace(/:$/, '')})`)
  }
}

function refused(file: string, why: string): Sidecar {
  const message = `${basename(file)} was not used: ${why}. Correct it and add the document again`
  return { stated: {}, problem: new DocumentUnreadable('sidecar_invalid', message) }
}

const longest = 1000
/** One line of text; an empty one states nothing. A title such as `1984` is a number in YAML. */
const line = z
  .union([z.string(), z.number()], 'it must be text')
  .transform((value) => cleanLine(String(value)) || null)
  .refine((value) => value === null || value.length <= longest, `it is longer than ${longest} characters`)

const authors = z
  .union([z.string(), z.array(z.string())], 'it must be a list of names, or "A; B"')
  .transform((value) => [value].flat().flatMap((names) => names.split(';')))
  .transform((names) => names.map(cleanLine).filter((name) => name !== ''))
  .transform((names) => (names.length > 0 ? names : null))
  .refine((names) => (names?.join().length ?? 0) <= 20 * longest, 'there are too many')

const year = z
  .union([z.literal(''), z.number(), z.string().regex(/^\d{1,4}$/, 'it must be a whole number')], {
    error: 'it must be a whole number',
  })
  .transform((value) => (value === '' ? null : Number(value)))
  .refine((value) => value === null || (Number.isInteger(value) && value > 0 && value < 10_000), {
    error: 'it must be a whole number, for instance 2021',
  })

const statedMetadata = z.strictObject({
  title: line.nullish(),
  authors: authors.nullish(),
  year: year.nullish(),
})

/** Checks a person's statements on a document; an empty value is null. `problem` is one sentence. */
export function parseStatedMetadata(
  input: unknown,
): { readonly change: MetadataChange } | { readonly problem: string } {
  const parsed = statedMetadata.safeParse(input ?? {})
  if (!parsed.success) return { problem: parsed.error.issues.map(describe).join('; ') }
  const stated = Object.entries(parsed.data).filter(([, value]) => value !== undefined)
  return { change: Object.fromEntries(stated) }
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.map((key) => JSON.stringify(key)).join(', ')
    return `unknown ${issue.keys.length === 1 ? 'key' : 'keys'} ${keys}: only title, authors and year may stand there`
  }
  if (issue.path.length === 0) return 'it must hold keys and values: title, authors, year'
  return `${String(issue.path[0])}: ${issue.message}`
}

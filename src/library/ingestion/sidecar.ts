import { lstat, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { z } from 'zod'
import { DocumentUnreadable } from '../../errors.ts'
import { parseYaml } from '../../yaml.ts'
import type { MetadataChange, StatedMetadata } from '../port/document.ts'
import { cleanLine } from '../readers/common/clean-text.ts'
import { isReadable } from '../readers/read-document.ts'

/** What stands beside a document. */
interface Sidecar {
  readonly stated: StatedMetadata
  /** Why it was refused. */
  readonly problem: DocumentUnreadable | null
}

const suffix = '.yaml'
const mostBytes = 64 * 1024

/** The file beside a document in which a person states its title, authors or year: `paper.pdf.yaml`. */
function sidecarOf(path: string): string {
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

/**
 * What a person wrote about a document, checked: unknown keys are refused by name; an empty value is null. Gives back
 * the statements, or one sentence that says what is wrong.
 */
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

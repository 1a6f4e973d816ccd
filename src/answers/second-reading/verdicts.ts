import { endWithout, oneLine } from '../../library/language/characters.ts'
import { harmless } from '../readable-text.ts'

/** Whether the passages say what a claim says; if not, why, in the reader's own words, which may be none. */
export type Verdict = { readonly holds: true } | { readonly holds: false; readonly why: string }

/** At the beginning of a line, or behind what parts two verdicts on one line; then the verdict on the claim of this number. */
const VERDICT =
  /(?<=^|[,;.{|])[^\p{L}\p{N}\n]{0,12}(?:claim[^\p{L}\p{N}\n]{0,9})?(\d{1,3})[^\p{L}\p{N}\n]{0,12}(?:(?:verdict|answer)[^\p{L}\p{N}\n]{0,9})?(?:(yes|ja|oui|sí|true|supported)|(?:no|nein|non|false|unsupported|not\s+supported))(?![\p{L}\p{N}])/gimu
const ONLY = /^[^\p{L}\p{N}]*(?:(yes)|no)(?![\p{L}\p{N}])/iu

/**
 * The verdicts in a reply, by the number of the claim from 1 to `count`: "2 no: the page says that it fell", in whatever
 * list, table or JSON. A claim without a verdict, or with two that differ, is not among them.
 */
export function verdictsIn(reply: string, count: number): ReadonlyMap<number, Verdict> {
  const found = [...reply.matchAll(VERDICT)]
  const only = found.length === 0 && count === 1 ? ONLY.exec(reply) : null
  if (only) return new Map([[1, verdictOf(only[1] !== undefined, reply.slice(only[0].length))]])
  const verdicts = new Map<number, Verdict | null>()
  for (const [index, match] of found.entries()) {
    const number = Number(match[1])
    if (number < 1 || number > count) continue
    const rest = reply.slice(match.index + match[0].length, found[index + 1]?.index)
    const verdict = verdictOf(match[2] !== undefined, rest)
    const known = verdicts.get(number)
    verdicts.set(number, known === undefined || known?.holds === verdict.holds ? (known ?? verdict) : null)
  }
  return new Map([...verdicts].flatMap(([number, verdict]) => (verdict ? [[number, verdict]] : [])))
}

/** Characters of a reason that are shown. */
const LONGEST = 200

function verdictOf(holds: boolean, rest: string): Verdict {
  if (holds) return { holds }
  const line = rest.split('\n').find((each) => /\p{L}/u.test(each)) ?? ''
  const words = line.slice(0, 3 * LONGEST).replace(/^[^\p{L}\p{N}“]*(?:(?:reason|because|why)[^\p{L}\p{N}“]+)?/iu, '')
  const why = oneLine(harmless(words, () => false)).slice(0, LONGEST)
  return { holds, why: why.slice(0, endWithout(why, isAround)) }
}

/** A stop, or what closes a string or a cell. */
const isAround = (character: string): boolean => ` .,;|}]"'`.includes(character)

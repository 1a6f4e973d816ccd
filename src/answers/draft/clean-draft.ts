import type { Evidence } from '../../events/index.ts'
import { hasLetterOrDigit, oneLine, wordsIn } from '../../library/index.ts'
import { handleOf } from './marks.ts'

/**
 * Removes what a model writes around its answer: thoughts, tool calls, a fence or a JSON object around it all, control
 * characters.
 * Runs before anything else reads the draft.
 */
export function answerIn(draft: string): string {
  const plain = withoutThoughts(withoutControls(draft).replace(/[\u2028\u2029]/g, ' ')).replace(WRITTEN_CALL, '')
  return answerOfObject(plain) ?? plain.replace(FENCE, '')
}

// A line of its own, with the empty lines around it, which are looked at once: from the end of the text before them.
const FENCE = /(?<=^|\S[^\S\n]*\n)\s*```[a-z]*\s*(?=\n|$)/gi

// A tool call as text, in the forms of Hermes, Qwen and Mistral, and tokens of a chat template.
const WRITTEN_CALL = /<tool_call>[^<]*(?:<\/tool_call>)?|\[TOOL_CALLS\][^\n]*|<\|[a-z_]{1,40}\|>/g

/** The text after the last thoughts; thoughts that are not closed hold no answer. */
function withoutThoughts(draft: string): string {
  const closing = /<\/(?:think|thinking|reasoning|scratchpad)>/gi
  const last = [...draft.matchAll(closing)].at(-1)
  const after = last ? draft.slice(last.index + last[0].length) : draft
  const open = after.search(/<(?:think|thinking|reasoning|scratchpad)>/i)
  return open < 0 ? after : after.slice(0, open)
}

/** An answer that was written as a JSON object, as text with its citations in tags; null if it is none. */
function answerOfObject(draft: string): string | null {
  const from = draft.indexOf('{')
  const to = draft.lastIndexOf('}')
  if (from < 0 || to < from || hasLetterOrDigit(draft.slice(0, from).replace(/```[a-z]*/i, ''))) return null
  try {
    return answerOf(partsOf(JSON.parse(draft.slice(from, to + 1))))
  } catch {
    return null
  }
}

/** Words of the answer, or a citation of what was said before it. */
interface Part {
  readonly text: string
  readonly isCitation: boolean
}

const CITES = /<cite\b|<abstain|\[P\d/i

/** The words that cite; those that citations follow; else the first. A word beside them ("high") is no part of the answer. */
function answerOf(parts: readonly Part[]): string | null {
  const words = parts.filter(({ isCitation }) => !isCitation)
  const citing = words.filter(({ text }) => CITES.test(text))
  if (citing.length > 0) return citing.map(({ text }) => text).join('\n')
  const isSaid = (part: Part) => part.isCitation || part === words[0] || /\S\s+\S/.test(part.text)
  const said = words.length < parts.length ? parts.filter(isSaid) : words.slice(0, 1)
  return said.length > 0 ? said.map(({ text, isCitation }) => (isCitation ? text : ` ${text}`)).join('') : null
}

const PASSAGE = /^(?:id|passage|source|ref|reference|citation|doc|document)(?:_?id)?$/i
const QUOTE = /quote|text|excerpt|span|snippet|words|verbatim|evidence/i
const HANDLE = /^\[?P\d{1,3}\]?$/i

/** Words before citations, whatever the order of the fields. */
function partsOf(value: unknown): readonly Part[] {
  if (typeof value === 'string')
    return [HANDLE.test(value.trim()) ? citation(value) : { text: value, isCitation: false }]
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(partsOf)
  const entries = Object.entries(value)
  const [, id] =
    entries.find(([name, each]) => PASSAGE.test(name) && HANDLE.test(`P${each}`.replace(/^PP/i, 'P'))) ?? []
  const [, quote] = entries.find(([name, each]) => QUOTE.test(name) && typeof each === 'string') ?? []
  if (id !== undefined) return [citation(String(id), String(quote ?? ''))]
  const isText = ([, each]: [string, unknown]) => typeof each === 'string'
  return [...entries.filter(isText), ...entries.filter((entry) => !isText(entry))].flatMap(([, each]) => partsOf(each))
}

function citation(id: string, quote = ''): Part {
  return { text: `<cite id="${handleOf(id.trim().replace(/[[\]]/g, ''))}">${quote}</cite>`, isCitation: true }
}

const ADDRESS = new RegExp(
  [
    String.raw`\b(?:https?|ftp|file|javascript|data|mailto):[^\s<>"'\x60|)\]]+`,
    String.raw`\bwww\.[^\s<>"'\x60|)\]]+`,
    // A host without a scheme counts with a path behind it, or with one of the common top-level domains.
    String.raw`(?<![\p{L}\p{N}@./-])(?:[a-z\d-]{1,63}\.){1,5}(?:[a-z]{2,24}\/[^\s<>"'\x60|)\]]+|(?:com|org|info|biz|xyz|ru|top)(?![\p{L}\p{N}.-]))`,
  ].join('|'),
  'giu',
)

/** The addresses of a text, without the stop that may follow one. */
export function addressesIn(text: string): readonly string[] {
  return Array.from(text.matchAll(ADDRESS), ([address]) => address.replace(/(?<![.,;:!?])[.,;:!?]+$/, ''))
}

/** A text with "…" in place of each address. */
function withoutAddresses(text: string): string {
  return text.replace(ADDRESS, '…')
}

// Escape sequences, control characters, marks that turn the direction of writing, and tags that nobody sees.
const CONTROL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must go.
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])?|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu

export function withoutControls(text: string): string {
  return text.replace(CONTROL, '')
}

/** Words of a model that are shown beside an answer: one line without addresses, markup and what nobody sees. */
export function harmlessLine(text: string): string {
  return oneLine(withoutAddresses(harmless(withoutControls(text), () => false)))
}

const TAG_NAMES =
  wordsIn(`a abbr abstain article audio b base blockquote body br button canvas center cite code details div dl dt dd em
   embed figure font footer form frame frameset h[1-6] head header hr html i iframe img input kbd label li link
   main map mark math menu meta nav noscript object ol option p param picture pre q s script section select small
   source span strong style sub summary sup svg table tbody td template textarea tfoot th thead title tr track u
   ul video passage evidence answer response output think thinking`).join('|')
const HTML = new RegExp(String.raw`</?(?:${TAG_NAMES})\b[^<>]*>`, 'gi')
// A tag that nothing closes, or of any name with an attribute.
const OPEN_TAG = new RegExp(String.raw`<(?=[/!?]?(?:${TAG_NAMES})\b|[/!?]?[a-z][^<>=]{0,100}=)`, 'gi')
const ENTITY = /&(?:(lt|#0*60|#x0*3c)|gt|#0*62|#x0*3e);?/gi
const SCRIPT = /<(script|style)\b[^<>]*>[^<]{0,5000}<\/\1\s{0,9}>/gi
const AUTOLINK = /<((?:https?|mailto):[^<>\s]{1,500})>/gi
const DEFINITION = /^\s{0,3}\[[^\]\n]{1,100}\]:\s?.*$/gm
const MARKER = /[ \t]?\[\^?[1-9]\d{0,2}(?:\s?[,–-]\s?\[?\^?[1-9]\d{0,2}\]?){0,9}\](?!\()|[ \t]?【[^】\n]{1,40}】/gu
/** Digits in brackets on a sign of one letter are a part of its name: "P[6]", "X2[2]". */
const NAMED = /(?<![\p{L}\p{N}])(\p{Lu}\d?)\[([1-9]\d{0,2})\](?!\()/gu
const LINK =
  /!?\[([^\][\n]{0,300})\](?:\(([^()\s]{0,500}(?:\([^()\s]{0,100}\)[^()\s]{0,300})?)(?:\s[^()\n]{0,200})?\)|\[[^\][\n]{0,100}\])/g

/**
 * A sentence without images, HTML, links to addresses that the sources do not hold, and footnote markers, since only
 * verified quotes have one.
 */
export function harmless(sentence: string, isKnown: (address: string) => boolean): string {
  let text = sentence
  // Removing a tag may join two halves of another.
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const before = text
    text = text
      .replace(SCRIPT, '')
      .replace(HTML, '')
      .replace(LINK, (link, words: string, address = '') => {
        if (link.startsWith('!')) return ''
        return isKnown(address) ? link : words
      })
      .replace(AUTOLINK, '$1')
      .replace(DEFINITION, '')
      .replace(NAMED, '$1($2)')
      .replace(MARKER, '')
    if (text === before)
      return withoutOpenTags(text === sentence ? text : text.replace(/(?<![ \t])[ \t]+(?=[.,;:!?](?:\s|$))/g, ''))
  }
  return withoutOpenTags(text.replace(/[<>[\]]/g, ''))
}

const MOST_PASSES = 8

/** Replaces what would still open a tag by a character that looks like it. */
function withoutOpenTags(text: string): string {
  return text.replace(OPEN_TAG, '‹').replace(ENTITY, (_, opening?: string) => (opening ? '‹' : '›'))
}

const mostSentences = 500
const longestSentence = 4_000
// No word of a language with spaces is so long.
const longWord = /[\p{Script=Latin}\p{N}]{201}/u

/** Why nobody may read a sentence of a draft, or its correction; null if it can be read. */
export function whyUnreadable(sentence: string, index: number, isKnown: ReturnType<typeof addressesOf>): string | null {
  if (index >= mostSentences) return 'the draft has too many sentences'
  if (sentence.length > longestSentence) return 'it is too long to be checked'
  if (longWord.test(sentence)) return 'it holds a word that is too long to be checked'
  // Words that a document put into a model's mouth shall lead nobody away.
  return addressesIn(harmless(sentence, isKnown)).every(isKnown) ? null : 'it holds an address that its sources do not'
}

/** Whether an address stands in the evidence. */
export function addressesOf(evidence: readonly Evidence[]): (address: string) => boolean {
  return (address) =>
    (/^https?:\/\//i.test(address) || !/^[a-z]+:/i.test(address)) &&
    evidence.some(({ observation }) => observation.source === address || observation.text.includes(address))
}

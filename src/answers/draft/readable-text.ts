import { oneLine, wordsIn } from '../../library/language/characters.ts'

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

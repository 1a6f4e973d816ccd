import { unreadable } from './glyphs.ts'
import type { ShownText } from './shown-texts.ts'

/** A text as pdf.js puts it together, from what one or more operations show. */
interface Item {
  readonly str: string
  readonly dir: string
}

/** What is put in a character's place, if it does not stay. */
type Fate = 'stays' | { readonly becomes: string }

/** The characters of a page, without spaces, and what becomes of each. */
interface Stream {
  readonly text: string
  readonly fates: readonly Fate[]
}

/**
 * Marks glyphs that cannot be read, and takes away what cannot be seen. Where nothing is seen, the text is the layer of a
 * scan, which says what the picture shows.
 */
export function markText<T extends Item>(items: readonly T[], shown: readonly ShownText[]): readonly T[] {
  const isLayer = shown.every(({ isHidden, characters }) => isHidden || characters.join('').trim() === '')
  const isOdd = (text: ShownText) => (text.isHidden && !isLayer) || text.readings.some((reading) => reading !== 'known')
  if (!shown.some(isOdd)) return items
  const stream = streamOf(isLayer ? shown.map((text) => ({ ...text, isHidden: false })) : shown)
  let at = 0
  return items.map((item) => {
    const plain = comparable(item.str)
    const place = placeOf(plain, stream.text, at)
    if (plain === '' || place === null) return item
    at = place + plain.length
    return { ...item, str: marked(item, stream.fates.slice(place, at)) }
  })
}

function streamOf(shown: readonly ShownText[]): Stream {
  const texts: string[] = []
  const fates: Fate[] = []
  for (const text of shown) {
    text.characters.forEach((character, at) => {
      const plain = comparable(character)
      texts.push(plain)
      for (let unit = 0; unit < plain.length; unit++) fates.push(fateOf(text, at))
    })
  }
  return { text: texts.join(''), fates }
}

function fateOf({ isHidden, readings, font }: ShownText, at: number): Fate {
  const reading = readings[at] ?? 'known'
  if (isHidden) return { becomes: '' }
  if (reading === 'guessed') return font.formsWords ? 'stays' : { becomes: unreadable }
  return reading === 'known' ? 'stays' : { becomes: reading.is }
}

/** How far a text may be from where it is expected, as a multiple of its length: pdf.js drops glyphs beside the page. */
const farthest = 50

/** Where a text stands from `from` on; null if it does not. pdf.js reorders text that is written from the right. */
function placeOf(plain: string, text: string, from: number): number | null {
  const place = text.indexOf(plain, from)
  if (place >= 0 && place - from <= farthest * plain.length) return place
  return sorted(text.slice(from, from + plain.length)) === sorted(plain) ? from : null
}

function sorted(text: string): string {
  return [...text].sort().join('')
}

function marked({ str, dir }: Item, fates: readonly Fate[]): string {
  if (fates.every((fate) => fate !== 'stays' && fate.becomes === '')) return ''
  if (dir === 'rtl') return str
  let at = 0
  return Array.from(str, (character) => {
    const fate = fates[at] ?? 'stays'
    const length = comparable(character).length
    at += length
    return length === 0 || fate === 'stays' ? character : fate.becomes
  }).join('')
}

const plainAscii = /^[!-~]*$/u

/** Without spaces and compatibility forms, as pdf.js may or may not have them. */
function comparable(text: string): string {
  return plainAscii.test(text) ? text : text.normalize('NFKC').replace(/\s+/gu, '')
}

/** A stretch of a text that is searched for as one word. */
interface Piece {
  readonly text: string
  readonly start: number
}

// scx (script extensions) counts the prolonged sound mark of Japanese in, which two scripts share.
const SPACELESS =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u
const RUN = new RegExp(`(?:${SPACELESS.source}\\p{M}*)+`, 'gu')
const CHARACTER = /\P{M}\p{M}*/gu

/**
 * Takes a word apart where its script sets no spaces between words, or, as Korean, joins particles to them: each two
 * neighbouring characters make a piece, and overlap with the next. That finds what a dictionary would find without
 * having to guess where words end (J. H. Lee and J. S. Ahn, "Using n-grams for Korean text retrieval", SIGIR 1996).
 * Words of other scripts stay whole.
 */
export function piecesOf(word: string): readonly Piece[] {
  if (!SPACELESS.test(word)) return [{ text: word, start: 0 }]
  const pieces: Piece[] = []
  let end = 0
  for (const run of word.matchAll(RUN)) {
    if (run.index > end) pieces.push({ text: word.slice(end, run.index), start: end })
    // Not spread into the call: a run may be longer than a call has room for arguments.
    for (const pair of pairsOf(run[0], run.index)) pieces.push(pair)
    end = run.index + run[0].length
  }
  if (end < word.length) pieces.push({ text: word.slice(end), start: end })
  return pieces
}

function pairsOf(run: string, start: number): readonly Piece[] {
  const characters = Array.from(run.matchAll(CHARACTER), (match) => ({ text: match[0], start: start + match.index }))
  if (characters.length < 2) return characters
  return characters.slice(1).map(({ text }, i) => {
    const first = characters[i] ?? { text: '', start }
    return { text: first.text + text, start: first.start }
  })
}

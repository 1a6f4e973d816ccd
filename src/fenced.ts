// White space, slashes and characters that nobody sees, which may part a mark: bounded, so that scanning is linear.
const PARTED = String.raw`[\s/!?\p{Default_Ignorable_Code_Point}]{0,9}`
/** The beginning of a tag, or of an endpoint's mark of a turn, in any shape of "less than" that a model reads as one. */
const TAG = new RegExp(
  String.raw`[<＜﹤](?=${PARTED}(?:passage|document|cite|abstain|evidence)|\p{Default_Ignorable_Code_Point}{0,9}[\p{L}_|｜¦∣│/!?<])`,
  'giu',
)
/** A word in square brackets with capitals side by side: marks of turns and tools, such as "[INST]" and "[gMASK]". */
const BRACKETED = new RegExp(String.raw`\[(?=${PARTED}(\p{L}[\p{L}_]{2,39})${PARTED}\])`, 'gu')
/** Who speaks, at the beginning of a line. */
const SPEAKER =
  /^([\s#>*_-]{0,9}(?:human|user|assistant|system|developer|tool|ai|instructions?|response)[\s*_]{0,3}):/gimu

/**
 * Text of a document, a person or a model for a prompt: beginnings of tags, endpoints' marks of turns and names of
 * speakers are disabled, one character for one, so that places in the text stay. `findQuote` reads both forms alike.
 */
export function fencedText(text: string): string {
  return text
    .replace(TAG, '‹')
    .replace(BRACKETED, (bracket, word: string) => (/[\p{Lu}_]{2}/u.test(word) ? '⟦' : bracket))
    .replace(SPEAKER, '$1꞉')
}

/** A title, heading, address or file name for the attribute of a tag, or for one line of a list. */
export function fencedLine(text: string): string {
  return fencedText(text.trim().replace(/\s+/gu, ' ')).replaceAll('"', "'").replaceAll('<', '‹').replaceAll('>', '›')
}

/** Part of a prompt in which everything that is not ours is fenced already. */
export class Fenced {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

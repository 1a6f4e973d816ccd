import { oneLine } from '../library/index.ts'
import { patternOf } from './dataset.ts'

/**
 * Whether one of the expected answers stands in an answer. A text is found in whole words and numbers; case, white space
 * and the form of quotation marks and dashes do not matter.
 */
export function isAnswered(expected: readonly string[], answer: string): boolean {
  const itself = answerItself(answer)
  const said = plain(itself)
  return expected.some((each) => patternOf(each)?.test(itself) ?? standsWhole(plain(each), said))
}

/** The first words of the notes below an answer. */
const closingNotes = [
  'Assumed: ',
  'Stopped early: ',
  'The model gave no answer: ',
  'No quote supports what the model wrote, ',
  'These are the best passages found, ',
  'What the passages do not say has no footnote: ',
  'The model reached its length limit, ',
  'Confidence is low: ',
  'No language model was used: ',
  'Extractive answer: ',
]

/** The answer without footnote marks and without its notes. */
export function answerItself(answer: string): string {
  const paragraphs = answer.split('\n\n')
  while (closingNotes.some((beginning) => paragraphs.at(-1)?.startsWith(beginning))) paragraphs.pop()
  return paragraphs.join('\n\n').replace(footnoteMark, '')
}

const footnoteMark = /(?<!\s)\s*\[\d+\]/g

function plain(text: string): string {
  return oneLine(
    text
      .normalize('NFKC')
      .replace(footnoteMark, '')
      .replace(/[\u2018\u2019]/g, "'")
      .replace(/[\u201C\u201D]/g, '"')
      .replace(/[\u2010-\u2015\u2212]/g, '-'),
  ).toLowerCase()
}

/** Scripts without spaces between words have no word edges. */
const unspaced = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
const withoutSpaces = new RegExp(`[${unspaced.map((script) => `\\p{Script=${script}}`).join('')}]`, 'u')

/** "7" is neither in "17" nor in "7.5", "page" not in "pages"; "81.1 million" is in "81.1 million pages". */
function standsWhole(text: string, said: string): boolean {
  const [first = '', last = first] = [[...text].at(0), [...text].at(-1)]
  for (let at = said.indexOf(text); at >= 0; at = said.indexOf(text, at + 1)) {
    // Four: up to two characters of two UTF-16 units each, such as a mark and a digit.
    const before = said.slice(Math.max(0, at - 4), at)
    const after = said.slice(at + text.length, at + text.length + 4)
    if (!isInside(first, before, { word: endsInWord, number: /\p{Nd}[.,]$/u })) {
      if (!isInside(last, after, { word: beginsWithWord, number: /^[.,]\p{Nd}/u })) return true
    }
  }
  return false
}

const endsInWord = new RegExp(`(?!${withoutSpaces.source})[\\p{L}\\p{N}\\p{M}]$`, 'u')
const beginsWithWord = new RegExp(`^(?!${withoutSpaces.source})[\\p{L}\\p{N}\\p{M}]`, 'u')

/** True if a letter or digit at the edge continues in the neighbouring text. */
function isInside(
  edge: string,
  neighbour: string,
  { word, number }: { readonly word: RegExp; readonly number: RegExp },
) {
  if (!/[\p{L}\p{N}\p{M}]/u.test(edge) || withoutSpaces.test(edge)) return false
  return word.test(neighbour) || (/\p{Nd}/u.test(edge) && number.test(neighbour))
}

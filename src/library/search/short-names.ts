import { beginsUpper, hasDigit } from '../language/characters.ts'
import { type Token, tokens } from '../language/terms.ts'

/** Between the words of one name. */
const WITHIN_NAME = /^[\s&.'’-]{1,3}$/u
const MOST_JOINED = 3
const MOST_INITIALS = 5

/** Names in a text as they may be written together, as in a file's name: "footlocker", "10k", "jj" of "J&J". */
export function namesTogether(text: string): readonly string[] {
  return runsOfNames(text).flatMap((run) =>
    run.flatMap((_, at) =>
      Array.from({ length: MOST_JOINED - 1 }, (_, more) => run.slice(at, at + more + 2))
        .filter(({ length }, more) => length === more + 2)
        .map((words) => words.join('')),
    ),
  )
}

/** The initials of names in a text, with at least so many letters: "amd" of "Advanced Micro Devices". */
export function initialsIn(text: string, fewest: number): readonly string[] {
  return runsOfNames(text).flatMap((run) => {
    const initials = run.map((word) => word.charAt(0)).slice(0, MOST_INITIALS)
    return initials.map((_, at) => initials.slice(0, at + 1).join('')).filter(({ length }) => length >= fewest)
  })
}

/** The parts of words of letters and digits, which an index keeps whole: "2023Q2" is "2023" and "Q2", "3M" stays. */
export function partsOfWords(text: string): readonly string[] {
  return Array.from(text.matchAll(/((?:19|20)\d\d)(\p{L}\d)(?![\p{L}\d])/gu), ([, year, part]) => `${year} ${part}`)
}

/** Words of a text that follow each other and are written as names are, folded. */
function runsOfNames(text: string): readonly (readonly string[])[] {
  const runs: string[][] = []
  let last: Token | undefined
  for (const token of tokens(text)) {
    if (!isNameLike(text.slice(token.start, token.end))) continue
    const isNext = last && WITHIN_NAME.test(text.slice(last.end, token.start))
    if (isNext) runs.at(-1)?.push(token.word)
    else runs.push([token.word])
    last = token
  }
  return runs.filter(({ length }) => length > 1)
}

/** True for a word that may be a name or a part of one: with a capital, or of letters and digits ("3M"). */
export function isNameLike(word: string): boolean {
  return beginsUpper(word) || hasDigit(word) ? !/^\p{N}{3,}$/u.test(word) : false
}

import { stem } from '../../library/language/stem.ts'
import { synonymsOf } from '../../library/language/synonyms.ts'
import { fold, isStopWord } from '../../library/language/terms.ts'
import type { QuotedFigure } from '../calculations/quoted-figures.ts'

/**
 * Whether a sentence may speak of this cell of a table: not if it names another column or row, and this one by no word.
 * `isAlone`: it states no other figure of a table, so that a row that it names in full is the one it speaks of.
 */
export function maySpeakOf({ column, columns, row, rows }: QuotedFigure, sentence: string, isAlone: boolean): boolean {
  const said = wordsOf(sentence)
  const byColumn = columns.includes(column) ? compared(column, columns, said) : UNKNOWN
  const byRow = rows.includes(row) ? compared(row, rows, said) : UNKNOWN
  if (byColumn.own === 0 && byColumn.other > 0) return false
  if (byRow.own === 0 && byRow.other >= 0.5) return false
  return !(isAlone && byRow.own < 1 && byRow.other === 1)
}

const UNKNOWN = { own: 1, other: 0 }

/** The share of the words of a label that are said, and the highest share of the labels beside it. */
function compared(label: string, labels: readonly string[], said: ReadonlySet<string>) {
  const all = [...new Set(labels)].map((each) => [each, wordsOf(each)] as const)
  const common = new Set([...(all[0]?.[1] ?? [])].filter((word) => all.every(([, words]) => words.has(word))))
  const isSaid = (word: string) => said.has(word) || synonymsOf(word).some((synonym) => said.has(synonym))
  const shareOf = (words: ReadonlySet<string>, isWhole: (word: string) => boolean) => {
    const telling = [...words].filter((word) => !common.has(word))
    if (telling.length === 0) return words.size > 0 && [...words].every(isWhole) ? NAMED_BY_COMMON : 0
    return telling.filter(isWhole).length / telling.length
  }
  const others = all.filter(([each]) => each !== label).map(([, words]) => shareOf(words, (word) => said.has(word)))
  const other = Math.max(0, ...others)
  // "Income" is a word for "sales", but not where another row is called so.
  const own = shareOf(wordsOf(label), other >= 0.5 ? (word) => said.has(word) : isSaid)
  // "Model 34" is said wherever "Model 34 S" is.
  return own === NAMED_BY_COMMON && other > 0 ? { own: 0, other } : { own, other }
}

/** A label all of whose words stand in the others too. */
const NAMED_BY_COMMON = 0.99

function wordsOf(text: string): ReadonlySet<string> {
  const words = text
    .replace(/['’]\p{L}{1,2}\b/gu, '')
    .replace(/(\d)[.,:](?=\d)/g, '$1')
    .match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}-]*/gu)
  return new Set((words ?? []).map((word) => stem(fold(word))).filter((word) => word.length === 1 || !isStopWord(word)))
}

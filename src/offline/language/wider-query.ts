import { contentWords, stem, stems, synonymsOf } from '../../library/index.ts'
import { namesIn } from './names.ts'
import type { Vocabulary } from './spelling.ts'

/** More words for one say less and less of it. */
const MOST_FOR_WORD = 4

/** The question with words of the library that may stand for its own, names left out; null if there are none. */
export async function widerQuery(
  question: string,
  { frequencies }: Pick<Vocabulary, 'frequencies'>,
): Promise<string | null> {
  const names = new Set(namesIn(question).flatMap(({ text }) => stems(text)))
  const own = new Set(contentWords(question).map(stem))
  const added: string[] = []
  for (const word of [...own].filter((each) => !names.has(each))) {
    const known = [...(await frequencies(synonymsOf(word)))].filter(([other, count]) => count > 0 && !own.has(other))
    const often = known.sort(([, a], [, b]) => b - a).slice(0, MOST_FOR_WORD)
    added.push(...often.map(([other]) => other))
  }
  return added.length > 0 ? `${question} ${[...new Set(added)].join(' ')}` : null
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth']

/** Which of `count` things a word picks, from 0: "second", "2nd", "2", "last", "former"; -1 if none. */
export function ordinalIndex(word: string, count: number): number {
  const plain = word.toLowerCase()
  if (plain === 'last' || plain === 'final') return count - 1
  if (plain === 'former') return 0
  if (plain === 'latter') return count === 2 ? 1 : count - 1
  const digits = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(plain)?.[1]
  const index = digits === undefined ? ORDINALS.indexOf(plain) : Number(digits) - 1
  return index < count ? index : -1
}

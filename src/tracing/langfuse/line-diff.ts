/** A line of two texts: in both, only in the first, or only in the second. */
interface Line {
  readonly sign: ' ' | '-' | '+'
  readonly text: string
}

/** So many lines that both texts have stand around one that they do not share. */
const around = 2

/**
 * What must be taken out of one text (`- …`) and put in (`+ …`) to make the other, with a few of the lines around it, and
 * "…" where lines are left out; empty for the same text.
 */
export function lineDiff(before: string, after: string): string {
  const lines = compare(before.split('\n'), after.split('\n'))
  const isNear = (at: number) => lines.slice(Math.max(0, at - around), at + around + 1).some(({ sign }) => sign !== ' ')
  const shown = lines.flatMap((line, at) => (isNear(at) ? [{ ...line, at }] : []))
  return shown
    .flatMap(({ sign, text, at }, place) => {
      const isApart = at - (shown[place - 1]?.at ?? -1) > 1
      return [...(isApart ? ['…'] : []), `${sign} ${text}`.trimEnd()]
    })
    .join('\n')
}

/** The lines of both texts in order, as few as possible of them different. */
function compare(old: readonly string[], now: readonly string[]): readonly Line[] {
  const common = commonLengths(old, now)
  const lines: Line[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    if (old[i] === now[j]) {
      lines.push({ sign: ' ', text: old[i] ?? '' })
      i += 1
      j += 1
    } else if (lengthAt(common, i + 1, j) >= lengthAt(common, i, j + 1)) {
      lines.push({ sign: '-', text: old[i] ?? '' })
      i += 1
    } else {
      lines.push({ sign: '+', text: now[j] ?? '' })
      j += 1
    }
  }
  return lines
}

/** For each pair of places, how many lines the two texts share from there on, in order. */
function commonLengths(old: readonly string[], now: readonly string[]): readonly (readonly number[])[] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0))
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const longest = Math.max(lengthAt(lengths, i + 1, j), lengthAt(lengths, i, j + 1))
      lengths[i]?.splice(j, 1, old[i] === now[j] ? lengthAt(lengths, i + 1, j + 1) + 1 : longest)
    }
  }
  return lengths
}

/** Behind the end of a text there is nothing more to take from it. */
function lengthAt(lengths: readonly (readonly number[])[], i: number, j: number): number {
  return lengths[i]?.[j] ?? -1
}

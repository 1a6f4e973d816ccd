/** The names most like a name, best first; none that have little in common with it. By shared pairs of letters (Dice). */
export function nearestNames(name: string, names: readonly string[], most = 3): readonly string[] {
  const wanted = pairsOf(name)
  return names
    .map((each) => ({ each, likeness: likeness(wanted, pairsOf(each)) }))
    .filter((found) => found.likeness >= leastLikeness)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, most)
    .map(({ each }) => each)
}

const leastLikeness = 0.3

function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((pair) => other.has(pair)).length
  return (2 * shared) / Math.max(1, one.size + other.size)
}

function pairsOf(name: string): ReadonlySet<string> {
  const text = `^${name.toLowerCase()}$`
  return new Set(Array.from(text).flatMap((_, at) => (at + 1 < text.length ? [text.slice(at, at + 2)] : [])))
}

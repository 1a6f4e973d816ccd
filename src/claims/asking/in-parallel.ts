/** What comes of each item, in the order in which it comes; at most so many are worked on at a time. */
export async function* inParallel<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const waiting = items.entries()
  const open = new Map<number, Promise<readonly [number, Result]>>()
  const begin = () => {
    const next = waiting.next()
    if (next.done) return
    const [index, item] = next.value
    const result = work(item).then((value) => [index, value] as const)
    // Whoever leaves the loop does not wait for the others, whose failures are then nobody's.
    result.catch(() => {})
    open.set(index, result)
  }
  for (let lane = 0; lane < atOnce; lane += 1) begin()
  while (open.size > 0) {
    const [index, result] = await Promise.race(open.values())
    open.delete(index)
    begin()
    yield result
  }
}

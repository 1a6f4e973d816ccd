/** The same events, once the first has come: what is refused before is thrown here, where it can still be a status of HTTP. */
export async function begun<T>(
  events: AsyncIterable<T>,
): Promise<{ readonly first: T | null; readonly all: AsyncIterable<T> }> {
  const iterator = events[Symbol.asyncIterator]()
  const first = await iterator.next()
  return { first: first.done ? null : first.value, all: withFirst(first, iterator) }
}

async function* withFirst<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncIterable<T> {
  try {
    for (let next = first; !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

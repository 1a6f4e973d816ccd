/** All values of a series that is read as it comes. */
export async function collected<T>(series: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const each of series) all.push(each)
  return all
}

/** "Limited to 3 documents: year>=2020"; without a filter, the documents were named. */
export function limitInWords({
  documents,
  filter,
}: {
  readonly documents: number
  readonly filter: string | null
}): string {
  return `Limited to ${documents} ${documents === 1 ? 'document' : 'documents'}${filter === null ? '' : `: ${filter}`}`
}

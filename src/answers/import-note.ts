/** What an imported answer with so many quotes is worth here, in words for its reader. */
export function importNote({ missingQuotes }: { readonly missingQuotes: number }, quotes: number): string {
  return `Imported, not verified here: ${whereabouts(missingQuotes, quotes)}; its sentences were not checked.`
}

function whereabouts(missing: number, quotes: number): string {
  if (quotes === 0) return 'it has no quotes'
  return missing === 0 ? 'its quotes are in this library' : `${missing} of its ${quotes} quotes are not in this library`
}

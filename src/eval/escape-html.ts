import { harmless } from '../tracing/harmless.ts'

const entities: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as it may stand in HTML, in an attribute too: without control characters, which a page shows as nothing or boxes. */
export function escapeHtml(text: string): string {
  return harmless(text).replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

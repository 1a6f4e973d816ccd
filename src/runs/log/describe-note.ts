/** A note as text: who wrote it, on which day (UTC), and its own lines below. */
export function describeNote(note: { text: string; userId: string | null; writtenAt: string }): string {
  return `Note${note.userId === null ? '' : ` by ${note.userId}`}, ${note.writtenAt.slice(0, 10)}:\n${note.text}`
}

import { z } from 'zod'
import type { KeptScore } from '../../events/index.ts'
import { checkOptions } from '../../options.ts'
import { checkIdentifier, type Storage } from '../../storage/index.ts'

/** What a person, `userId`, wrote beside the answer of a run. No model is given it, and no proof of the answer holds it. */
export const note = z.strictObject({
  text: z.string().max(4000),
  userId: z.string().nullable(),
  writtenAt: z.iso.datetime(),
})
export type Note = z.output<typeof note>

const newNote = note.pick({ text: true }).extend({ userId: z.string().min(1).max(200).optional() })

/** Notes are kept as scores are, since they come and go like them, under a name that no score can have. */
export const noteName = '#note'

/** Writes the note of a run in place of the one before; an empty text removes it. */
export async function writeNote(runId: string, given: z.output<typeof newNote>, { events, scores }: Storage) {
  checkOptions('The note', newNote, given)
  await events.run(checkIdentifier('run', runId))
  const said = { runId, name: noteName, value: given.text.trim(), comment: null, userId: given.userId ?? null }
  if (said.value === '') await scores.remove(runId, noteName)
  else await scores.put({ ...said, scoredAt: new Date().toISOString(), delivery: 'local' })
  return noteIn(await scores.of(runId)) ?? null
}

/** The note among what was said of a run. */
export function noteIn(said: readonly KeptScore[]): Note | undefined {
  const kept = said.find(({ name }) => name === noteName)
  return note.safeParse({ text: kept?.value, userId: kept?.userId, writtenAt: kept?.scoredAt }).data
}

import { useRef, useState } from 'preact/hooks'
import { documents } from '../api/requests.ts'

export interface Upload {
  readonly file: File
  readonly state: 'waiting' | 'sending' | 'reading' | 'added' | 'failed'
  /** While it is sent, from 0 to 1. */
  readonly share: number
  /** Why it was not added. */
  readonly message: string | null
}

/** Files on their way into the library, one after the other; `onAdded` hears of each that is through. */
export function useUploads(onAdded: () => void) {
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const line = useRef(Promise.resolve())
  const change = (file: File, changed: Partial<Upload>) =>
    setUploads((all) => all.map((each) => (each.file === file ? { ...each, ...changed } : each)))
  const send = async (file: File) => {
    change(file, { state: 'sending' })
    const onSent = (share: number) => change(file, share < 1 ? { share } : { share, state: 'reading' })
    change(file, await outcome(file, onSent))
    onAdded()
  }
  const add = (files: readonly File[]) => {
    const waiting = files.map((file) => ({ file, state: 'waiting', share: 0, message: null }) as const)
    const isListed = (all: readonly Upload[], { file }: Upload) => all.some((each) => each.file === file)
    setUploads((all) => [
      ...all.map((each) => waiting.find(({ file }) => file === each.file) ?? each),
      ...waiting.filter((each) => !isListed(all, each)),
    ])
    for (const file of files) line.current = line.current.then(() => send(file))
  }
  /** Takes those off the list that have ended. */
  const tidy = () => setUploads((all) => all.filter(({ state }) => state !== 'added' && state !== 'failed'))
  return { uploads, add, tidy }
}

async function outcome(file: File, onSent: (share: number) => void): Promise<Pick<Upload, 'state' | 'message'>> {
  try {
    const added = await documents.add(file, onSent)
    if (!added) return { state: 'failed', message: 'Files of this kind are not read.' }
    return added.status === 'failed'
      ? { state: 'failed', message: added.error?.message ?? 'It could not be read.' }
      : { state: 'added', message: null }
  } catch (error) {
    return { state: 'failed', message: error instanceof Error ? error.message : String(error) }
  }
}

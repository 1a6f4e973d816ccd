import { useEffect, useRef, useState } from 'preact/hooks'
import { documents } from '../api/requests.ts'
import { Form } from '../controls.tsx'

export interface Upload {
  readonly file: File
  readonly state: 'waiting' | 'sending' | 'reading' | 'added' | 'failed'
  /** While it is sent, from 0 to 1. */
  readonly share: number
  /** Of an encrypted file. */
  readonly password?: string | undefined
  /** Why it was not added. */
  readonly message: string | null
  /** What may help where it was not added: the same again, or its password; null where nothing does. */
  readonly remedy: 'again' | 'password' | null
}

/** Files that are sent at once. */
const mostAtOnce = 3

/** Files on their way into the library, a few at once and small ones first; `onAdded` hears of each that is through. */
export function useUploads(onAdded: () => void) {
  const [uploads, show] = useState<readonly Upload[]>([])
  // What is drawn follows it: what is sent next is decided by the newest state.
  const all = useRef(uploads)
  const become = (next: readonly Upload[]) => {
    all.current = next
    show(next)
  }
  const change = (file: File, changed: Partial<Upload>) =>
    become(all.current.map((each) => (each.file === file ? { ...each, ...changed } : each)))
  const sendNext = () => {
    const atWork = all.current.filter(({ state }) => state === 'sending' || state === 'reading').length
    const waiting = all.current.filter(({ state }) => state === 'waiting')
    const smallFirst = waiting.toSorted((one, other) => one.file.size - other.file.size)
    for (const upload of smallFirst.slice(0, mostAtOnce - atWork)) void send(upload)
  }
  const send = async ({ file, password }: Upload) => {
    change(file, { state: 'sending' })
    const onSent = (share: number) => change(file, share < 1 ? { share } : { share, state: 'reading' })
    change(file, await outcome(file, onSent, password))
    sendNext()
    onAdded()
  }
  const add = (files: readonly File[], password?: string) => {
    const begun = { password, state: 'waiting', share: 0, message: null, remedy: null } as const
    const isAgain = ({ file }: Upload) => files.includes(file)
    const fresh = files.filter((file) => !all.current.some((each) => each.file === file))
    become([
      ...all.current.map((each) => (isAgain(each) ? { ...begun, file: each.file } : each)),
      ...fresh.map((file) => ({ ...begun, file })),
    ])
    sendNext()
  }
  const remove = (isGone: (upload: Upload) => boolean) => become(all.current.filter((each) => !isGone(each)))
  return {
    uploads,
    add,
    dismiss: (file: File) => remove((each) => each.file === file),
    /** Takes those off the list that have ended. */
    tidy: () => remove(({ state }) => state === 'added' || state === 'failed'),
  }
}

async function outcome(
  file: File,
  onSent: (share: number) => void,
  password?: string,
): Promise<Pick<Upload, 'state' | 'message' | 'remedy'>> {
  try {
    const added = await documents.add(file, onSent, password)
    if (added.status !== 'failed') return { state: 'added', message: null, remedy: null }
    const { code = '', message = 'It could not be read.' } = added.error ?? {}
    const remedy = code === 'password_needed' ? 'password' : code === 'reader_crashed' ? 'again' : null
    const asks = password === undefined ? 'It is encrypted.' : 'This password does not open it.'
    return { state: 'failed', message: remedy === 'password' ? asks : message, remedy }
  } catch (error) {
    return { state: 'failed', message: error instanceof Error ? error.message : String(error), remedy: 'again' }
  }
}

/** How far each file is, why one was not added, and what can be done about it. */
export function Uploads({ uploads, add, dismiss }: Omit<ReturnType<typeof useUploads>, 'tidy'>) {
  if (uploads.length === 0) return null
  return (
    <ul class="rows uploads" aria-label="Files that are added" aria-live="polite">
      {uploads.map(({ file, state, share, message, remedy }) => (
        <li class={state}>
          <span class="what">
            {file.name}
            <small>{message ?? states[state]}</small>
          </span>
          {state === 'sending' && <progress value={share} aria-label={`Sending ${file.name}`} />}
          {state === 'reading' && <progress aria-label={`Reading ${file.name}`} />}
          {remedy === 'password' && (
            <Form class="password" onSend={({ password }) => password && add([file], password)}>
              <input
                type="password"
                name="password"
                aria-label={`Password of ${file.name}`}
                placeholder="Password"
                autocomplete="off"
              />
              <button type="submit">Open</button>
            </Form>
          )}
          {remedy === 'again' && (
            <button type="button" onClick={() => add([file])}>
              Try again
            </button>
          )}
          {state === 'failed' && (
            <button type="button" class="dismiss" aria-label={`Dismiss ${file.name}`} onClick={() => dismiss(file)}>
              ✕
            </button>
          )}
        </li>
      ))}
    </ul>
  )
}

const states: Readonly<Record<Upload['state'], string>> = {
  waiting: 'waiting',
  sending: 'being sent …',
  reading: 'being read …',
  added: 'added',
  failed: 'not added',
}

/** Files that are dropped anywhere on the page; true while some are held over it. */
export function useDrop(onFiles: (files: readonly File[]) => void): boolean {
  const [isOver, setOver] = useState(false)
  const receive = useRef(onFiles)
  receive.current = onFiles
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    const over = (event: DragEvent) => {
      if (!holdsFiles(event)) return
      event.preventDefault()
      setOver(true)
    }
    const drop = (event: DragEvent) => {
      setOver(false)
      if (!holdsFiles(event)) return
      event.preventDefault()
      receive.current([...(event.dataTransfer?.files ?? [])])
    }
    document.addEventListener('dragover', over, { signal })
    document.addEventListener('drop', drop, { signal })
    // Only the pointer that leaves the window has nowhere that it goes to.
    document.addEventListener('dragleave', ({ relatedTarget }) => relatedTarget ?? setOver(false), { signal })
    return () => leaving.abort()
  }, [])
  return isOver
}

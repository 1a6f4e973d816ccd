import { useRef, useState } from 'preact/hooks'
import { documents } from '../api/requests.ts'

interface Upload {
  readonly file: File
  readonly state: 'waiting' | 'sending' | 'reading' | 'added' | 'failed'
  /** While it is sent, from 0 to 1. */
  readonly share: number
  /** Why it was not added. */
  readonly message: string | null
  /** What may help where it was not added: the same again, or its password; null where nothing does. */
  readonly remedy: 'again' | 'password' | null
}

/** Files that are sent at once. */
const mostAtOnce = 3

/** Files on their way into the library, a few at once and small ones first; `onAdded` hears of each that is through. */
export function useUploads(onAdded: () => void) {
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const waiting = useRef<(readonly [File, string | undefined])[]>([])
  const atWork = useRef(0)
  const change = (file: File, changed: Partial<Upload>) =>
    setUploads((all) => all.map((each) => (each.file === file ? { ...each, ...changed } : each)))
  const begin = async () => {
    const [file, password] = waiting.current.shift() ?? []
    if (!file) return
    atWork.current += 1
    change(file, { state: 'sending' })
    const onSent = (share: number) => change(file, share < 1 ? { share } : { share, state: 'reading' })
    change(file, await outcome(file, onSent, password))
    atWork.current -= 1
    void begin()
    onAdded()
  }
  const add = (files: readonly File[], password?: string) => {
    const fresh = files.map((file) => ({ file, state: 'waiting', share: 0, message: null, remedy: null }) as const)
    const isListed = (all: readonly Upload[], { file }: Upload) => all.some((each) => each.file === file)
    setUploads((all) => [
      ...all.map((each) => fresh.find(({ file }) => file === each.file) ?? each),
      ...fresh.filter((each) => !isListed(all, each)),
    ])
    waiting.current.push(...files.map((file) => [file, password] as const))
    waiting.current.sort(([one], [other]) => one.size - other.size)
    while (atWork.current < mostAtOnce && waiting.current.length > 0) void begin()
  }
  const remove = (isGone: (upload: Upload) => boolean) => setUploads((all) => all.filter((each) => !isGone(each)))
  return {
    uploads,
    add,
    dismiss: (file: File) => remove((each) => each.file === file),
    /** Takes those off the list that have ended. */
    tidy: () => remove(({ state }) => state === 'added' || state === 'failed'),
  }
}

export type UploadsState = ReturnType<typeof useUploads>

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
export function Uploads({ uploads, add, dismiss }: Pick<UploadsState, 'uploads' | 'add' | 'dismiss'>) {
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
          {remedy === 'password' && <Password name={file.name} onGiven={(password) => add([file], password)} />}
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

interface PasswordProps {
  readonly name: string
  readonly onGiven: (password: string) => void
}

function Password({ name, onGiven }: PasswordProps) {
  const [password, setPassword] = useState('')
  const give = (event: Event) => {
    event.preventDefault()
    if (password !== '') onGiven(password)
  }
  return (
    <form class="password" onSubmit={give}>
      <input
        type="password"
        aria-label={`Password of ${name}`}
        placeholder="Password"
        autocomplete="off"
        value={password}
        onInput={(event) => setPassword(event.currentTarget.value)}
      />
      <button type="submit">Open</button>
    </form>
  )
}

const states: Readonly<Record<Upload['state'], string>> = {
  waiting: 'waiting',
  sending: 'being sent …',
  reading: 'being read …',
  added: 'added',
  failed: 'not added',
}

import type { Upload } from './use-uploads.ts'

export interface UploadsProps {
  readonly uploads: readonly Upload[]
  readonly onRetry: (file: File) => void
}

/** How far each file is, and why one was not added. */
export function Uploads({ uploads, onRetry }: UploadsProps) {
  if (uploads.length === 0) return null
  return (
    <ul class="rows uploads" aria-label="Files that are added" aria-live="polite">
      {uploads.map(({ file, state, share, message }) => (
        <li class={state}>
          <span class="what">
            {file.name}
            <small>{message ?? states[state]}</small>
          </span>
          {state === 'sending' && <progress value={share} aria-label={`Sending ${file.name}`} />}
          {state === 'reading' && <progress aria-label={`Reading ${file.name}`} />}
          {state === 'failed' && (
            <button type="button" onClick={() => onRetry(file)}>
              Try again
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

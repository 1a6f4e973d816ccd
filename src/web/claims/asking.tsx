import type { ComponentChildren, ComponentProps } from 'preact'
import type { Answer } from '../answer/answer.tsx'
import type { useLibrary } from '../documents/documents.tsx'
import type { Source } from '../source/use-source.ts'

/** What a table and a report are given. */
export interface AskingProps {
  readonly library: Pick<ReturnType<typeof useLibrary>, 'list' | 'chosen' | 'toggle' | 'choice'>
  /** What it is limited to, handed in as `Answer` is. */
  readonly limits: ComponentChildren
  readonly source: Pick<Source, 'opened' | 'open'>
  /** Handed in: imported, it would be loaded with two files, and so in a third. */
  readonly Answer: typeof Answer
  /** What a report is here: without a language model, a digest. */
  readonly kind: 'report' | 'digest'
}

/** Which documents are asked: the ones that questions search. */
export function Choice({ list, chosen, toggle, choice: { tags = [], where = '' } }: AskingProps['library']) {
  if (!list) return null
  if (list.length === 0) return <p class="quiet">The library is empty. Add documents first.</p>
  const all = chosen.size === 0 ? `all ${list.length}` : `${chosen.size} of ${list.length}`
  const isLimited = tags.length > 0 || where !== ''
  return (
    <details>
      <summary>
        Documents asked: {isLimited ? `those of ${chosen.size || list.length} that fit the filter` : all}
      </summary>
      <fieldset class="choice">
        <legend class="quiet">Choose some to ask only these</legend>
        {list.map(({ documentId, title, source }) => (
          <label>
            <input type="checkbox" checked={chosen.has(documentId)} onChange={() => toggle(documentId)} />
            <span>{title ?? source}</span>
          </label>
        ))}
      </fieldset>
    </details>
  )
}

export function TextField({ label, onWrite, ...field }: TextFieldProps) {
  return (
    <label>
      {label}
      <textarea {...field} required onInput={(event) => onWrite(event.currentTarget.value)} />
    </label>
  )
}

type TextFieldProps = ComponentProps<'textarea'> & { readonly label: string; readonly onWrite: (text: string) => void }

export interface ProgressProps {
  readonly status: string
  /** Null while it is not under way. */
  readonly bar: { readonly label: string; readonly done: number; readonly total: number; readonly text: string } | null
  /** Null where nothing is left to do. */
  readonly button: string | null
  readonly onBegin: () => void
  readonly onStop: () => void
}

/** How far work is, and how it is begun, stopped and gone on with. */
export function Progress({ status, bar, button, onBegin, onStop }: ProgressProps) {
  return (
    <div class="progress">
      <p role="status">{status}</p>
      {bar && bar.total > 0 && (
        <p class="quiet">
          <progress aria-label={bar.label} max={bar.total} value={bar.done} /> {bar.text}
        </p>
      )}
      {(bar !== null || button !== null) && (
        // One button, so that it keeps the focus.
        <button type="button" class={bar ? '' : 'primary'} onClick={bar ? onStop : onBegin}>
          {bar ? 'Stop' : button}
        </button>
      )}
    </div>
  )
}

export interface DownloadsProps {
  /** Their names, each by its ending. */
  readonly formats: Readonly<Record<string, string>>
  readonly onSave: (format: string) => void
}

export function Downloads({ formats, onSave }: DownloadsProps) {
  return (
    <p class="count downloads">
      Download as
      {Object.entries(formats).map(([format, name]) => (
        <button type="button" onClick={() => onSave(format)}>
          {name}
        </button>
      ))}
    </p>
  )
}

import { useState } from 'preact/hooks'
import type { Details, LibraryDocument } from '../api/requests.ts'
import { Form } from '../form.tsx'

export interface DocumentRowProps {
  readonly document: LibraryDocument
  readonly isChosen: boolean
  readonly onToggle: () => void
  readonly onRemove: () => void
  readonly onSet: (details: Details) => void
}

/** A document: chosen for questions or not, its title, authors and year to correct, and removed. */
export function DocumentRow({ document, isChosen, onToggle, onRemove, onSet }: DocumentRowProps) {
  const [isEdited, edit] = useState(false)
  const name = document.title ?? document.source
  if (isEdited) {
    const save = (details: Details) => {
      edit(false)
      onSet(details)
    }
    return (
      <li>
        <DetailsForm document={document} onSave={save} onBack={() => edit(false)} />
      </li>
    )
  }
  return (
    <li>
      <label class="what">
        <input type="checkbox" checked={isChosen} onChange={onToggle} />
        <span>
          {name}
          <small>{describe(document)}</small>
        </span>
      </label>
      {document.removable && (
        <span class="row-tools">
          {document.editable && (
            <button type="button" aria-label={`Edit ${name}`} onClick={() => edit(true)}>
              Edit
            </button>
          )}
          <button
            type="button"
            aria-label={`Remove ${name}`}
            onClick={() => confirm(`Remove “${name}” from the library?`) && onRemove()}
          >
            Remove
          </button>
        </span>
      )}
    </li>
  )
}

interface DetailsFormProps {
  readonly document: LibraryDocument
  readonly onSave: (details: Details) => void
  readonly onBack: () => void
}

/** An emptied field takes the correction back: what was read in the document stands again. */
function DetailsForm({ document, onSave, onBack }: DetailsFormProps) {
  const [title, setTitle] = useState(document.title ?? '')
  const [authors, setAuthors] = useState(document.authors.join('; '))
  const [year, setYear] = useState(String(document.year ?? ''))
  const save = () => {
    const names = authors.split(/[;\n]/).map((each) => each.trim())
    const written = names.filter((each) => each !== '')
    // What was not touched stays as it was read.
    onSave({
      ...(title !== (document.title ?? '') && { title: title.trim() || null }),
      ...(authors !== document.authors.join('; ') && { authors: written.length > 0 ? written : null }),
      ...(year !== String(document.year ?? '') && { year: Number(year) || null }),
    })
  }
  return (
    <Form class="details" submit="Save" onSubmit={save} onBack={onBack}>
      <label>
        Title
        <input value={title} maxLength={1000} onInput={(event) => setTitle(event.currentTarget.value)} />
      </label>
      <label>
        Authors, separated by semicolons
        <input value={authors} onInput={(event) => setAuthors(event.currentTarget.value)} />
      </label>
      <label class="short">
        Year
        <input
          value={year}
          inputMode="numeric"
          pattern="\d{4}"
          onInput={(event) => setYear(event.currentTarget.value)}
        />
      </label>
    </Form>
  )
}

function describe({ authors, year, pages, source, format }: LibraryDocument): string {
  const who = authors.length > 2 ? `${authors[0]} and others` : authors.join(', ')
  const size = format === 'pdf' || format === 'pptx' ? `${pages} page${pages === 1 ? '' : 's'}` : format
  return [who, year, size, source].filter(Boolean).join(' · ')
}

import { citationOf, type Found, placeOf } from '../api/requests.ts'
import { useOpenSource } from '../source/use-source.ts'

export interface PassagesProps {
  readonly hits: readonly Found[]
  readonly label?: string
  /** Where each stands: its document and page, unless another way of saying it is given. */
  readonly cite?: (hit: Found) => string
}

/** Passages of the library, which open their pages. */
export function Passages({ hits, label, cite = documentAndPlace }: PassagesProps) {
  const { open } = useOpenSource()
  return (
    <ul class="passages" aria-label={label}>
      {hits.map((hit, index) => (
        <li>
          <button type="button" onClick={() => open(citationOf(hit, index + 1))}>
            <span class="excerpt">{hit.text}</span>
            <cite>{cite(hit)}</cite>
          </button>
        </li>
      ))}
    </ul>
  )
}

function documentAndPlace(hit: Found): string {
  return `${hit.title ?? hit.source}, ${placeOf(hit)}`
}

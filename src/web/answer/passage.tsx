import { citationOf } from '../api/citations.ts'
import type { Citation, SearchHit } from '../api/requests.ts'

interface PassageProps {
  readonly hit: SearchHit
  readonly marker: number
  readonly onOpen: (citation: Citation) => void
}

/** A passage of the library, which opens its page. */
export function Passage({ hit, marker, onOpen }: PassageProps) {
  return (
    <li>
      <button type="button" onClick={() => onOpen(citationOf(hit, marker))}>
        <span class="excerpt">{hit.text}</span>
        <cite>
          {hit.title ?? hit.source}, page {hit.page}
        </cite>
      </button>
    </li>
  )
}

import { useEffect, useRef } from 'preact/hooks'

/** What the address of the page names. */
export type Place =
  | { readonly kind: 'new' }
  | { readonly kind: 'documents' }
  | { readonly kind: 'table' }
  | { readonly kind: 'report' }
  | { readonly kind: 'thread'; readonly threadId: string }
  | { readonly kind: 'source'; readonly runId: string; readonly marker: number }

function placeInAddress(): Place {
  const [, threadId] = /^#\/thread\/([A-Za-z0-9_-]{1,95})$/.exec(location.hash) ?? []
  if (threadId !== undefined) return { kind: 'thread', threadId }
  const [, runId, marker] = /^#\/source\/([A-Za-z0-9_-]+)\/(\d{1,4})$/.exec(location.hash) ?? []
  if (runId !== undefined) return { kind: 'source', runId, marker: Number(marker) }
  const [, named = 'new'] = /^#\/(documents|table|report)$/.exec(location.hash) ?? []
  return { kind: named as 'documents' | 'table' | 'report' | 'new' }
}

/** Names another place of the page in its address; the browser's way back leads to the one before. */
export function goTo(place: Exclude<Place, { kind: 'source' }>): void {
  const hash = place.kind === 'new' ? '' : `#/${place.kind === 'thread' ? `thread/${place.threadId}` : place.kind}`
  if (location.hash !== hash) history.pushState(null, '', hash || location.pathname)
}

/** Shows the place that the address names: at first, and when the browser goes to another one. */
export function useAddress(show: (place: Place) => void): void {
  const latest = useRef(show)
  latest.current = show
  useEffect(() => {
    const follow = () => {
      // The link with the token was opened here once more: the token is exchanged as at first.
      if (location.hash.includes('token=')) location.reload()
      else latest.current(placeInAddress())
    }
    follow()
    window.addEventListener('popstate', follow)
    return () => window.removeEventListener('popstate', follow)
  }, [])
}

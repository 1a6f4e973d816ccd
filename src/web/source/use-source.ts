import { createContext } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import { type Citation, isSame, type RunResult } from '../api/requests.ts'
import type { SourcePanel } from './source-panel.tsx'

/** The source that stands open: the page of a footnote, or of a passage that was found. */
export interface Source {
  readonly opened: Citation | null
  /** Whose footnote it is. */
  readonly answer: RunResult | undefined
  readonly open: (citation: Citation) => void
  readonly close: () => void
}

const nothing: Source = { opened: null, answer: undefined, open: () => {}, close: () => {} }

/** All that shows quotes can open their pages. */
export const OpenSource = createContext<Source>(nothing)

export function useOpenSource(): Source {
  return useContext(OpenSource)
}

/** A source of these answers, with the panel that shows it; `onProblem` hears why that could not be loaded. */
export function useSource(answers: readonly (RunResult | null)[], onProblem: (error: Error) => void) {
  const [opened, setOpened] = useState<Citation | null>(null)
  const [Panel, setPanel] = useState<typeof SourcePanel | null>(null)
  const opener = useRef<Element | null>(null)
  const answer = answers.find((each) => each?.citations.some((citation) => isSame(citation, opened))) ?? undefined
  // Back to the footnote that was clicked, once it can have the focus again.
  useEffect(() => {
    if (opened !== null || !(opener.current instanceof HTMLElement)) return
    opener.current.focus()
    opener.current = null
  }, [opened])
  const open = (citation: Citation) => {
    if (opened === null) opener.current = document.activeElement
    setOpened(citation)
    // Loaded with the first source; a browser remembers it for the others.
    import('./source-panel.tsx').then((loaded) => setPanel(() => loaded.SourcePanel), onProblem)
  }
  const source: Source = { opened, answer, open, close: () => setOpened(null) }
  return { ...source, Panel, isCovering: opened !== null && matchMedia('(max-width: 62rem)').matches }
}

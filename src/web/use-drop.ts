import { useEffect, useRef, useState } from 'preact/hooks'

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

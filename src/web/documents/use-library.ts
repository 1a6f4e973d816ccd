import { useEffect, useState } from 'preact/hooks'
import { type Details, documents, type LibraryDocument } from '../api/requests.ts'

/** The documents of the library; null until they are known. */
export function useLibrary(onProblem: (error: Error) => void) {
  const [list, setList] = useState<readonly LibraryDocument[] | null>(null)
  const refresh = () => documents.list().then(setList, onProblem)
  useEffect(() => void refresh(), [])
  const afterwards = (change: Promise<unknown>) => void change.then(refresh, onProblem)
  return {
    list,
    refresh,
    remove: (id: string) => afterwards(documents.remove(id)),
    set: (id: string, details: Details) => afterwards(documents.set(id, details)),
  }
}

export type LibraryState = ReturnType<typeof useLibrary>

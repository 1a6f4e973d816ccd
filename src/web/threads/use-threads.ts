import { useEffect, useRef, useState } from 'preact/hooks'
import { type ThreadRecord, threads } from '../api/requests.ts'

/** The conversations of the person whose titles hold what is searched for. */
export function useThreads(onProblem: (error: Error) => void) {
  const [list, setList] = useState<readonly ThreadRecord[]>([])
  const [search, setSearch] = useState('')
  // A run that ends later lists what is searched for then.
  const wanted = useRef(search)
  wanted.current = search
  const refresh = () => threads.list(wanted.current).then((found) => setList(found.threads), onProblem)
  useEffect(() => void refresh(), [search])
  const afterwards = (change: Promise<unknown>) => change.then(refresh, onProblem)
  return {
    list,
    search,
    onSearch: setSearch,
    refresh,
    rename: (id: string, title: string) => afterwards(threads.rename(id, title)),
    remove: (id: string, onRemoved: () => void) => afterwards(threads.remove(id).then(onRemoved)),
  }
}

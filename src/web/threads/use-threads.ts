import { useEffect, useState } from 'preact/hooks'
import { type ThreadRecord, threads } from '../api/requests.ts'

/** The conversations of the person whose titles hold what is searched for. */
export function useThreads(onProblem: (error: Error) => void) {
  const [list, setList] = useState<readonly ThreadRecord[]>([])
  const [search, setSearch] = useState('')
  const refresh = () => threads.list(search).then((found) => setList(found.threads), onProblem)
  useEffect(() => void refresh(), [search])
  const afterwards = (change: Promise<unknown>) => change.then(refresh, onProblem)
  return {
    list,
    search,
    onSearch: setSearch,
    refresh,
    rename: (id: string, title: string) => afterwards(threads.rename(id, title)),
    remove: (id: string) => afterwards(threads.remove(id)),
  }
}

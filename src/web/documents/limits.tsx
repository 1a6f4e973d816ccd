import type { LibraryDocument, Limit } from '../api/requests.ts'
import { count, Form } from '../controls.tsx'

export interface LimitsProps {
  readonly library: {
    readonly list: readonly LibraryDocument[] | null
    /** By id; empty means all. */
    readonly chosen: ReadonlySet<string>
    readonly choose: (chosen: Iterable<string>) => void
    readonly limit: Limit
    readonly limitTo: (limit: Limit) => void
  }
}

/** The tags of the library, to limit questions to documents with each that is chosen, and a filter to write. */
export function TagChips({ library: { list, limit, limitTo } }: LimitsProps) {
  const tags = [...new Set(list?.flatMap((document) => document.tags))].sort()
  const toggle = (tag: string) => {
    const others = limit.tags.filter((each) => each !== tag)
    limitTo({ ...limit, tags: others.length < limit.tags.length ? others : [...others, tag] })
  }
  return (
    <>
      {tags.length > 0 && (
        <section class="chips" aria-label="Tags">
          {tags.map((tag) => (
            <button type="button" aria-pressed={limit.tags.includes(tag)} onClick={() => toggle(tag)}>
              {tag}
            </button>
          ))}
        </section>
      )}
      <Form class="filter" key={limit.where} onSend={({ where = '' }) => limitTo({ ...limit, where: where.trim() })}>
        <input
          name="where"
          aria-label="Filter"
          placeholder="Filter: year>=2020 and kind=10-K"
          defaultValue={limit.where}
        />
        <button type="submit">Filter</button>
      </Form>
    </>
  )
}

/** What the next question is limited to, each part to be taken away. */
export function LimitChips({ library: { chosen, choose, limit, limitTo } }: LimitsProps) {
  const { tags, where } = limit
  const parts = [
    ...(chosen.size > 0 ? [{ name: count(chosen.size, 'document'), drop: () => choose([]) }] : []),
    ...tags.map((tag) => ({ name: tag, drop: () => limitTo({ ...limit, tags: tags.filter((each) => each !== tag) }) })),
    ...(where === '' ? [] : [{ name: where, drop: () => limitTo({ ...limit, where: '' }) }]),
  ]
  if (parts.length === 0) return null
  return (
    <section class="chips" aria-label="Searched are only">
      {parts.map(({ name, drop }) => (
        <button type="button" aria-label={`Do not limit to ${name}`} onClick={drop}>
          {name} ×
        </button>
      ))}
    </section>
  )
}

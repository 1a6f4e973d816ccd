import { useEffect, useRef, useState } from 'preact/hooks'
import { isSame } from './answer.tsx'
import {
  type Answer,
  ask,
  begin,
  type Citation,
  follow,
  Offline,
  Refused,
  resume,
  runs,
  type StreamEvent,
  type ThreadRecord,
  threads,
} from './api.ts'
import { Composer } from './composer.tsx'
import { Conversation } from './conversation.tsx'
import { Documents } from './documents.tsx'
import { Sidebar } from './sidebar.tsx'
import { SourcePanel } from './source-panel.tsx'
import { afterEvent, newTurn, type Turn } from './turn.ts'

/** The whole page: conversations on the left, the current one in the middle, an open source on the right. */
export function App() {
  const [isKnown, setKnown] = useState<boolean | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(() => {
    const [, place, token] = /^#(?:(\/\S*?)&)?token=(\S+)$/.exec(location.hash) ?? []
    if (token) history.replaceState(null, '', place ? `#${place}` : location.pathname)
    const entered = token ? begin(token) : threads.list('').then(() => {})
    entered.then(
      () => setKnown(true),
      (error: Error) => {
        setKnown(false)
        if (!(error instanceof Refused) || token) setProblem(error.message)
      },
    )
  }, [])
  if (isKnown === null) return null
  return isKnown ? <Workplace /> : <Entrance problem={problem} onEnter={() => setKnown(true)} />
}

/** Asks for the token where the page was opened without its link. */
function Entrance({ problem, onEnter }: { readonly problem: string | null; readonly onEnter: () => void }) {
  const [error, setError] = useState(problem)
  const enter = (event: Event) => {
    event.preventDefault()
    // The form has one field.
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('token') as HTMLInputElement
    const token = field.value.trim().replace(/^.*?[#&]token=/, '')
    begin(token).then(onEnter, (thrown: Error) => setError(thrown.message))
  }
  return (
    <main class="entrance">
      <h1>Quaero</h1>
      <p>Open the link that “quaero serve” printed, or paste it here.</p>
      <form onSubmit={enter}>
        <input name="token" type="password" aria-label="Link or token" autocomplete="off" required />
        <button type="submit" class="primary">
          Enter
        </button>
      </form>
      {error && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
    </main>
  )
}

function Workplace() {
  const [list, setList] = useState<readonly ThreadRecord[]>([])
  const [search, setSearch] = useState('')
  const [threadId, setThreadId] = useState<string>(threadInAddress() ?? crypto.randomUUID())
  const [turns, setTurns] = useState<readonly Turn[]>([])
  const [opened, setOpened] = useState<Citation | null>(null)
  const [isDocuments, setDocuments] = useState(false)
  const [isMenu, setMenu] = useState(false)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [problem, setProblem] = useState<string | null>(null)
  const reading = useRef(new AbortController())

  const refresh = () => threads.list(search).then((found) => setList(found.threads), tell)
  const tell = (error: Error) => setProblem(error.message)
  useEffect(() => void refresh(), [search])

  /** Shows the events of a run in the last turn, then its result. */
  const show = async (events: AsyncIterable<StreamEvent>, turn: Turn, signal: AbortSignal) => {
    let now = turn
    const update = (next: Turn) => {
      now = next
      if (!signal.aborted) setTurns((all) => [...all.slice(0, -1), next])
    }
    try {
      for await (const event of events) update(afterEvent(now, event))
      const result = now.runId === null ? null : await runs.result(now.runId)
      update({ ...now, result, isWorking: false, doing: null })
    } catch (error) {
      if (signal.aborted) return
      update({ ...now, isWorking: false, doing: null, error: messageOf(error) })
    }
    void refresh()
  }

  const begins = () => {
    reading.current.abort()
    reading.current = new AbortController()
    return reading.current.signal
  }

  const open = async (id: string) => {
    const signal = begins()
    setThreadId(id)
    setOpened(null)
    setDocuments(false)
    setMenu(false)
    history.replaceState(null, '', `#/thread/${id}`)
    try {
      const { runs: all } = await runs.of(id)
      const ended = all
        .filter(({ endedAt, status }) => endedAt !== null || status === 'requires_action' || status === 'interrupted')
        .toReversed()
      const done = await Promise.all(
        ended.map(async ({ runId, question }) => ({
          ...newTurn(question, runId),
          isWorking: false,
          doing: null,
          result: await runs.result(runId),
        })),
      )
      const working = all.find(({ runId }) => !ended.some((each) => each.runId === runId))
      if (signal.aborted) return
      setTurns(done)
      if (!working) return
      const turn = newTurn(working.question, working.runId)
      setTurns([...done, turn])
      await show(follow(working.runId, signal), turn, signal)
    } catch (error) {
      if (!signal.aborted && error instanceof Error) tell(error)
    }
  }

  /** The conversation of a footnote, with its page open. */
  const openSource = async (runId: string, marker: number) => {
    try {
      const result = await runs.result(runId)
      await open(result.threadId)
      setOpened(result.citations.find((each) => each.marker === marker) ?? null)
    } catch (error) {
      setProblem(messageOf(error))
    }
  }

  useEffect(() => {
    const id = threadInAddress()
    const source = /^#\/source\/([A-Za-z0-9_-]+)\/(\d{1,4})$/.exec(location.hash)
    if (source) void openSource(source[1] ?? '', Number(source[2]))
    else if (id) void open(id)
  }, [])

  const onAsk = (question: string) => {
    const signal = begins()
    setDocuments(false)
    setProblem(null)
    history.replaceState(null, '', `#/thread/${threadId}`)
    const turn = newTurn(question)
    setTurns((all) => [...all, turn])
    const documentIds = chosen.size > 0 ? { documentIds: [...chosen] } : {}
    void show(ask({ question, threadId, ...documentIds, idempotencyKey: crypto.randomUUID() }, signal), turn, signal)
  }

  const goOn = (turn: Turn, answers: Readonly<Record<string, Answer>>) => {
    if (turn.runId === null) return
    const signal = begins()
    const again = { ...turn, isWorking: true, doing: 'Going on', result: null, error: null }
    setTurns((all) => [...all.slice(0, -1), again])
    void show(resume(turn.runId, answers, signal), again, signal)
  }

  const onNew = () => {
    begins()
    setThreadId(crypto.randomUUID())
    setTurns([])
    setOpened(null)
    setDocuments(false)
    setMenu(false)
    history.replaceState(null, '', location.pathname)
  }

  const onDocuments = () => {
    setDocuments(!isDocuments)
    setMenu(false)
  }

  const last = turns.at(-1)
  const isWorking = last?.isWorking ?? false
  const citations =
    turns.map(({ result }) => result?.citations ?? []).find((all) => all.some((each) => isSame(each, opened))) ?? []
  return (
    <div class={opened ? 'workplace with-source' : 'workplace'}>
      <button
        type="button"
        class="menu"
        aria-expanded={isMenu}
        aria-label="Conversations"
        onClick={() => setMenu(!isMenu)}
      >
        ☰
      </button>
      <div class={isMenu ? 'rail open' : 'rail'}>
        <Sidebar
          threads={list}
          current={threadId}
          search={search}
          onSearch={setSearch}
          onChoose={(id) => void open(id)}
          onNew={onNew}
          onRemove={(id) =>
            void threads
              .remove(id)
              .then(() => (id === threadId ? onNew() : undefined))
              .then(refresh, tell)
          }
          onDocuments={onDocuments}
          isDocuments={isDocuments}
        />
      </div>
      <main>
        {isDocuments ? (
          <Documents chosen={chosen} onChoose={setChosen} />
        ) : (
          <>
            {turns.length === 0 && <Welcome />}
            <Conversation
              turns={turns}
              opened={opened}
              onOpen={setOpened}
              onAsk={onAsk}
              onApprove={goOn}
              onResume={(turn) => goOn(turn, {})}
              onFork={(at) =>
                void threads
                  .fork(threadId, at)
                  .then(({ threadId: id }) => open(id))
                  .then(refresh, tell)
              }
            />
          </>
        )}
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        {!isDocuments && (
          <Composer
            isWorking={isWorking}
            isFirst={turns.length === 0}
            onAsk={onAsk}
            onStop={() => last?.runId && void runs.cancel(last.runId).catch(tell)}
          />
        )}
      </main>
      {opened && (
        <SourcePanel citation={opened} citations={citations} onOpen={setOpened} onClose={() => setOpened(null)} />
      )}
    </div>
  )
}

function messageOf(error: unknown): string {
  const isSaid = error instanceof Offline || error instanceof Refused
  return isSaid ? error.message : 'The connection was lost. Reload the page to go on.'
}

function threadInAddress(): string | null {
  return /^#\/thread\/([A-Za-z0-9_-]{1,95})$/.exec(location.hash)?.[1] ?? null
}

function Welcome() {
  return (
    <div class="welcome">
      <h2>What do you want to know?</h2>
      <p>Answers come from your documents. Each statement has a footnote that opens its page at the quote.</p>
    </div>
  )
}

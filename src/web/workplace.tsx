import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { goTo, type Place, useAddress } from './address.ts'
import { Answer } from './answer/answer.tsx'
import { runs, type Session, threads as stored } from './api/requests.ts'
import type { views as claimViews } from './claims/views.ts'
import { Problem } from './controls.tsx'
import { Conversation, LiveRegion } from './conversation/conversation.tsx'
import { useConversation } from './conversation/use-conversation.ts'
import { type SuggestedProps, Suggestions } from './documents/about-document.tsx'
import { Documents, DropZone, useLibrary } from './documents/documents.tsx'
import { LimitChips, type LimitsProps } from './documents/limits.tsx'
import { useDrop } from './documents/uploads.tsx'
import { OpenSource, useSource } from './source/use-source.ts'
import { Sidebar, ThreadHeader, useThreads, type View, viewNames } from './threads.tsx'

export interface WorkplaceProps {
  readonly kind: Session['reports']
}

/** Conversations on the left; the current one, the documents, the table or the report in the middle; an open source on the right. */
export function Workplace({ kind }: WorkplaceProps) {
  const names = { ...viewNames, report: kind === 'digest' ? 'Digest' : 'Report' }
  const { threads, conversation, library, source, place } = useWorkplace(names)
  const { threadId, turns, resume, note } = conversation
  const { view, isMenu, title, loaded } = place
  const isTalk = view === 'conversation'
  const isOver = useDrop(place.add)
  const isEmpty = turns.length === 0
  const ask = (question: string) => conversation.ask(question, library.choice)
  return (
    <OpenSource.Provider value={source}>
      <div class={`workplace${source.opened ? ' with-source' : ''}${isOver ? ' dropping' : ''}`}>
        <button
          type="button"
          class="menu"
          aria-expanded={isMenu}
          aria-label="Conversations"
          onClick={() => place.showMenu(!isMenu)}
        >
          ☰
        </button>
        <div class={isMenu ? 'rail open' : 'rail'}>
          <Sidebar
            threads={threads}
            current={isTalk ? threadId : null}
            view={view}
            names={names}
            onOpen={(id) => void place.open(id)}
            onNew={place.begin}
            onView={place.goToView}
          />
        </div>
        <main inert={source.isCovering}>
          {place.problem && (
            <Problem>
              {place.problem}{' '}
              <button type="button" onClick={place.onProblemRead}>
                Close
              </button>
            </Problem>
          )}
          {view === 'documents' && (
            <Scroll label="Documents">
              <Documents library={library} onAdd={place.add} onSuggest={place.suggest} />
            </Scroll>
          )}
          {Object.entries(loaded).map(([name, Shown]) => (
            // It is filled further while something else is shown.
            <Scroll key={name} label={name === 'table' ? names.table : names.report} hidden={view !== name}>
              <Shown {...{ library, source, kind, Answer }} limits={<LimitChips library={library} />} />
            </Scroll>
          ))}
          {isTalk && isEmpty && <Welcome of={library.list} onAdd={place.add} onSuggest={place.suggest} />}
          {isTalk && !isEmpty && (
            <>
              <ThreadHeader key={threadId} {...{ threads, threadId, title }} onRemoved={place.begin} />
              <Scroll label="Conversation">
                <Conversation turns={turns} onAsk={ask} onResume={resume} onNote={note} onFork={place.fork} />
              </Scroll>
            </>
          )}
          {isTalk && (
            <Composer
              isWorking={turns.at(-1)?.isWorking ?? false}
              isFirst={isEmpty}
              library={library}
              draft={place.draft}
              onAsk={ask}
              onStop={conversation.stop}
            />
          )}
        </main>
        <LiveRegion turn={turns.at(-1)} />
        {source.opened && source.Panel && <source.Panel citation={source.opened} source={source} />}
      </div>
    </OpenSource.Provider>
  )
}

interface ScrollProps {
  readonly label: string
  readonly hidden?: boolean
  readonly children: ComponentChildren
}

/** What scrolls, by the keyboard too. */
function Scroll({ label, hidden = false, children }: ScrollProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll what has the focus
    <section class="scroll" aria-label={label} tabIndex={0} hidden={hidden}>
      {children}
    </section>
  )
}

/** The parts of the page, and the ways between its places. */
function useWorkplace(names: Readonly<Record<Exclude<View, 'conversation'>, string>>) {
  const [problem, setProblem] = useState<string | null>(null)
  const onProblem = (error: Error) => setProblem(error.message)
  const threads = useThreads(onProblem)
  const conversation = useConversation(() => void threads.refresh(), onProblem)
  const library = useLibrary(onProblem)
  const { threadId, turns } = conversation
  const source = useSource(
    turns.map(({ result }) => result),
    onProblem,
  )
  const draft = useState('')
  const [view, setView] = useState<View>('conversation')
  const [loaded, setLoaded] = useState<Partial<typeof claimViews>>({})
  const [isMenu, showMenu] = useState(false)
  const show = (wanted: View) => {
    source.close()
    setView(wanted)
    showMenu(false)
    if (wanted !== 'documents') library.uploads.tidy()
    // Loaded when it is first shown.
    if (wanted === 'table' || wanted === 'report')
      import('./claims/views.ts').then(
        ({ views }) => setLoaded((known) => ({ ...known, [wanted]: views[wanted] })),
        onProblem,
      )
  }
  const goToView = (wanted: View) => {
    show(wanted)
    if (wanted !== 'conversation') goTo({ kind: wanted })
    else goTo(turns.length > 0 ? { kind: 'thread', threadId } : { kind: 'new' })
  }
  const add = (files: readonly File[]) => {
    goToView('documents')
    library.uploads.add(files)
  }
  const open = (id: string) => {
    show('conversation')
    // The chips show what a follow-up will search.
    return conversation.open(id).then((where) => library.limitTo(where === null ? null : { tags: [], where }))
  }
  const begin = () => {
    show('conversation')
    conversation.begin()
  }
  const suggest = (question: string, documentId: string) => {
    library.choose([documentId])
    begin()
    draft[1](question)
  }
  const fork = (at: number) =>
    void stored.fork(threadId, at).then((made) => open(made.threadId).then(threads.refresh), onProblem)
  const showPlace = async (named: Place) => {
    if (named.kind === 'thread') return open(named.threadId)
    if (named.kind === 'new') return begin()
    if (named.kind !== 'source') return show(named.kind)
    const { threadId: id, citations } = await runs.result(named.runId)
    // The conversation takes the place of its source in the address.
    history.replaceState(null, '', location.pathname)
    await open(id)
    const citation = citations.find(({ marker }) => marker === named.marker)
    if (citation) source.open(citation)
  }
  useAddress((named) => void showPlace(named).catch(onProblem))
  const title = threads.list.find((each) => each.threadId === threadId)?.title ?? turns[0]?.question ?? ''
  useEffect(() => {
    const shown = view === 'conversation' ? title : names[view]
    document.title = [shown, 'Quaero'].filter(Boolean).join(' · ')
  }, [title, view])
  const ways = { showMenu, goToView, add, open, begin, suggest, fork, onProblemRead: () => setProblem(null) }
  return { threads, conversation, library, source, place: { problem, view, loaded, isMenu, title, draft, ...ways } }
}

interface WelcomeProps extends SuggestedProps<LimitsProps['library']['list']> {
  readonly onAdd: (files: readonly File[]) => void
}

function Welcome({ of: list, onAdd, onSuggest }: WelcomeProps) {
  if (list?.length === 0) {
    return (
      <div class="welcome">
        <h1>Begin with your documents</h1>
        <p>Then ask about them. Each statement of an answer has a footnote that opens its page at the quote.</p>
        <DropZone onAdd={onAdd} />
      </div>
    )
  }
  return (
    <div class="welcome">
      <h1>What do you want to know?</h1>
      <p>Answers come from your documents. Each statement has a footnote that opens its page at the quote.</p>
      <Suggestions of={list ?? []} onSuggest={onSuggest} />
    </div>
  )
}

interface ComposerProps {
  readonly isWorking: boolean
  readonly isFirst: boolean
  readonly library: LimitsProps['library']
  /** What is written, and how to write something else. */
  readonly draft: readonly [string, (text: string) => void]
  readonly onAsk: (question: string) => void
  readonly onStop: () => void
}

/** Where the question is written: Enter asks, Shift and Enter begin a new line. */
function Composer({ isWorking, isFirst, library, draft: [text, write], onAsk, onStop }: ComposerProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  // A question that is suggested is to be asked or changed.
  useEffect(() => field.current?.focus(), [isFirst, text])
  const submit = () => {
    const question = text.trim()
    if (question === '' || isWorking) return
    write('')
    onAsk(question)
  }
  const onSubmit = (event: Event) => {
    event.preventDefault()
    submit()
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    submit()
  }
  return (
    <form class="composer" onSubmit={onSubmit}>
      <LimitChips library={library} />
      <textarea
        ref={field}
        aria-label="Question"
        placeholder={isFirst ? 'Ask a question' : 'Ask a follow-up'}
        rows={1}
        value={text}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      {isWorking ? (
        <button type="button" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button type="submit" class="primary" disabled={text.trim() === ''}>
          Ask
        </button>
      )}
    </form>
  )
}

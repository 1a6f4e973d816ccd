import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { goTo, type Place, useAddress } from './address.ts'
import { type Citation, isSame, runs, threads } from './api/requests.ts'
import { Composer } from './conversation/composer.tsx'
import { Conversation } from './conversation/conversation.tsx'
import { LiveRegion } from './conversation/live-region.tsx'
import { useConversation } from './conversation/use-conversation.ts'
import { Documents, DropZone } from './documents/documents.tsx'
import { useUploads } from './documents/uploads.tsx'
import { useLibrary } from './documents/use-library.ts'
import type { SourcePanel } from './source/source-panel.tsx'
import { exportThread } from './threads/export-thread.ts'
import { Sidebar } from './threads/sidebar.tsx'
import { ThreadHeader } from './threads/thread-header.tsx'
import { useThreads } from './threads/use-threads.ts'
import { useDrop } from './use-drop.ts'

/** Conversations on the left, the current one or the documents in the middle, an open source on the right. */
export function Workplace() {
  const place = usePlace()
  const { conversation, library, opened, isDocuments, isMenu, problem, isOver } = place
  const { turns } = conversation
  const isEmpty = turns.length === 0
  return (
    <div class={`workplace${opened ? ' with-source' : ''}${isOver ? ' dropping' : ''}`}>
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
          threads={place.threads.list}
          search={place.threads.search}
          onSearch={place.threads.onSearch}
          current={conversation.threadId}
          isDocuments={isDocuments}
          onChoose={place.onChoose}
          onNew={place.onNew}
          onDocuments={() => place.onDocuments(!isDocuments)}
        />
      </div>
      <main inert={place.isCovered}>
        {problem && (
          <p class="problem" role="alert">
            {problem}{' '}
            <button type="button" onClick={place.onProblemRead}>
              Close
            </button>
          </p>
        )}
        {isDocuments ? (
          <Scroll label="Documents">
            <Documents
              library={library}
              uploads={place.uploads}
              chosen={place.chosen}
              onAdd={place.onAdd}
              onChoose={place.choose}
              onOpen={place.onOpen}
            />
          </Scroll>
        ) : (
          <>
            {isEmpty ? <Welcome isLibraryEmpty={library.list?.length === 0} onAdd={place.onAdd} /> : place.header}
            {!isEmpty && (
              <Scroll label="Conversation">
                <Conversation
                  turns={turns}
                  opened={opened}
                  onOpen={place.onOpen}
                  onAsk={place.onAsk}
                  onResume={conversation.onResume}
                  onFork={place.onFork}
                />
              </Scroll>
            )}
            <Composer
              isWorking={turns.at(-1)?.isWorking ?? false}
              isFirst={isEmpty}
              chosen={place.chosen.size}
              onAsk={place.onAsk}
              onStop={conversation.onStop}
            />
          </>
        )}
      </main>
      <LiveRegion turn={turns.at(-1)} />
      {opened && place.Source && (
        <place.Source
          citation={opened}
          citations={place.citations}
          sentences={place.sentences}
          onOpen={place.onOpen}
          onClose={place.onClose}
        />
      )}
    </div>
  )
}

/** What scrolls, by the keyboard too. */
function Scroll({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll what has the focus
    <section class="scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}

/** What is shown, and what a person may do with it. */
function usePlace() {
  const [problem, setProblem] = useState<string | null>(null)
  const onProblem = (error: Error) => setProblem(error.message)
  const list = useThreads(onProblem)
  const conversation = useConversation(() => void list.refresh(), onProblem)
  const library = useLibrary(onProblem)
  const uploads = useUploads(() => void library.refresh())
  const [isDocuments, setDocuments] = useState(false)
  const [isMenu, showMenu] = useState(false)
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set())
  const source = useSource(conversation.turns, onProblem)
  const { threadId } = conversation
  const showDocuments = (isShown: boolean) => {
    source.close()
    setDocuments(isShown)
    showMenu(false)
    if (!isShown) uploads.tidy()
  }
  const onDocuments = (isShown: boolean) => {
    showDocuments(isShown)
    if (isShown) goTo({ kind: 'documents' })
    else goTo(conversation.turns.length > 0 ? { kind: 'thread', threadId } : { kind: 'new' })
  }
  const onAdd = (files: readonly File[]) => {
    onDocuments(true)
    uploads.add(files)
  }
  const onChoose = (id: string) => {
    showDocuments(false)
    return conversation.open(id)
  }
  const onNew = () => {
    showDocuments(false)
    conversation.begin()
  }
  const show = async (named: Place) => {
    if (named.kind === 'thread') return onChoose(named.threadId)
    if (named.kind === 'documents') return showDocuments(true)
    if (named.kind !== 'source') return onNew()
    const { threadId: id, citations } = await runs.result(named.runId)
    // The conversation takes the place of its source in the address.
    history.replaceState(null, '', location.pathname)
    await onChoose(id)
    const citation = citations.find(({ marker }) => marker === named.marker)
    if (citation) source.onOpen(citation)
  }
  useAddress((named) => void show(named).catch(onProblem))
  const title = list.list.find((each) => each.threadId === threadId)?.title ?? conversation.turns[0]?.question ?? ''
  useEffect(() => {
    document.title = [isDocuments ? 'Documents' : title, 'Quaero'].filter(Boolean).join(' · ')
  }, [title, isDocuments])
  const header = (
    <ThreadHeader
      key={threadId}
      title={title}
      onRename={(wanted) => void list.rename(threadId, wanted)}
      onExport={() => void exportThread(threadId, title).catch(onProblem)}
      onRemove={() => void list.remove(threadId, onNew)}
    />
  )
  return {
    ...source,
    ...{ problem, threads: list, conversation, library, uploads, isDocuments, isMenu, chosen, header },
    ...{ showMenu, onDocuments, choose, onAdd, onNew },
    isOver: useDrop(onAdd),
    onClose: source.close,
    onProblemRead: () => setProblem(null),
    onChoose: (id: string) => void onChoose(id),
    onAsk: (question: string) => conversation.onAsk(question, [...chosen]),
    onFork: (at: number) =>
      void threads.fork(threadId, at).then(({ threadId: id }) => onChoose(id).then(list.refresh), onProblem),
  }
}

/** The footnote whose page is open, with those of its answer and the sentences that it stands behind. */
function useSource(turns: ReturnType<typeof useConversation>['turns'], onProblem: (error: Error) => void) {
  const [opened, setOpened] = useState<Citation | null>(null)
  const [Source, setSource] = useState<typeof SourcePanel | null>(null)
  const opener = useRef<Element | null>(null)
  const answer = turns.find(({ result }) => result?.citations.some((each) => isSame(each, opened)))?.result
  const said = answer?.sentences.filter(({ markers }) => opened !== null && markers.includes(opened.marker)) ?? []
  const isCovered = opened !== null && matchMedia('(max-width: 62rem)').matches
  // Back to the footnote that was clicked, once it can have the focus again.
  useEffect(() => {
    if (opened !== null || !(opener.current instanceof HTMLElement)) return
    opener.current.focus()
    opener.current = null
  }, [opened])
  return {
    opened,
    Source,
    citations: answer?.citations ?? [],
    sentences: said.map(({ text }) => text),
    isCovered,
    onOpen(citation: Citation) {
      if (opened === null) opener.current = document.activeElement
      setOpened(citation)
      // Loaded with the first source; a browser remembers it for the others.
      import('./source/source-panel.tsx').then((loaded) => setSource(() => loaded.SourcePanel), onProblem)
    },
    close: () => setOpened(null),
  }
}

interface WelcomeProps {
  readonly isLibraryEmpty: boolean
  readonly onAdd: (files: readonly File[]) => void
}

function Welcome({ isLibraryEmpty, onAdd }: WelcomeProps) {
  if (isLibraryEmpty) {
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
    </div>
  )
}

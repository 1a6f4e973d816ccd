import { QuaeroError } from '../../errors.ts'
import type { AskOptions, Citation, Quaero, RunResult } from '../../index.ts'
import type { Workplace } from '../command/command.ts'
import { footnotes } from '../output/answer/footnotes.ts'
import { plainLine } from '../output/plain-text.ts'
import { tell } from '../output/terminal.ts'
import { shortIdsOf } from '../shared/ids.ts'
import type { PageServer } from '../shared/page-server.ts'

/** A conversation between two lines. */
export interface Conversation {
  readonly quaero: Quaero
  /** Of the next question. */
  readonly options: AskOptions
  /** Of the first question of a new conversation: it has the documents that were meant at the start, too. */
  readonly anew: AskOptions
  readonly last: RunResult | null
  /** As it was chosen; null is that of the settings. */
  readonly model: string | null
  /** A server of the page that was started for a footnote. */
  readonly server: PageServer | null
  readonly exitCode: number
}

/** Where a chat takes place. */
export interface ChatPlace extends Pick<Workplace, 'reopen' | 'config' | 'input' | 'output'> {
  readonly dataDir: string | undefined
}

interface ChatCommand {
  readonly use: string
  readonly does: string
  readonly run: (chat: Conversation, argument: string, place: ChatPlace) => Promise<Conversation>
}

const commands: Readonly<Record<string, ChatCommand>> = {
  sources: { use: '/sources', does: 'print the footnotes of the last answer', run: showSources },
  open: { use: '/open <marker>', does: 'open a footnote in the page', run: openSource },
  new: { use: '/new', does: 'begin a new conversation', run: beginNew },
  model: { use: '/model [spec]', does: 'print or change the model that answers', run: changeModel },
  thread: { use: '/thread', does: 'print the id of this conversation', run: showThread },
  help: { use: '/help', does: 'print this list', run: showHelp },
}

/** Obeys a line that begins with a slash. */
export async function obey(line: string, chat: Conversation, place: ChatPlace): Promise<Conversation> {
  const [, name = '', argument = ''] = /^\/(\S*)\s*(.*)$/s.exec(line) ?? []
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) {
    tell(place.output, plainLine(`Unknown command /${name}. Type /help to see those there are`))
    return chat
  }
  try {
    return await command.run(chat, argument.trim(), place)
  } catch (error) {
    if (!(error instanceof QuaeroError)) throw error
    tell(place.output, plainLine(error.message))
    return chat
  }
}

async function showHelp(chat: Conversation, _: string, { output }: ChatPlace): Promise<Conversation> {
  const rows = [...Object.values(commands), { use: '/exit', does: 'leave' }]
  const lines = rows.map(({ use, does }) => `${use.padEnd(16)}${does}`)
  tell(output, ['Type a question, or', ...lines, 'Ctrl-C stops a question; with none at work, twice leaves'].join('\n'))
  return chat
}

async function showThread(chat: Conversation, _: string, { output }: ChatPlace): Promise<Conversation> {
  const { threadId } = chat.options
  const ask = 'Ask a question first: it gives the thread its id'
  tell(output, threadId === undefined ? ask : (await shortIdsOf(chat.quaero)).thread(threadId))
  return chat
}

async function showSources(chat: Conversation, _: string, { output }: ChatPlace): Promise<Conversation> {
  const { last } = chat
  const linkOf = await output.links?.()
  const link = linkOf && last ? (citation: Citation) => linkOf(last.runId, citation) : undefined
  const notes = footnotes(last?.citations ?? [], last?.calculations, { link, width: output.width })
  if (notes.length > 0) output.stdout.write(`${notes.join('\n')}\n`)
  else tell(output, last ? 'The last answer has no footnotes' : 'Ask a question first')
  return chat
}

async function openSource(chat: Conversation, argument: string, place: ChatPlace): Promise<Conversation> {
  const { last, quaero } = chat
  const markers = (last?.citations ?? []).map(({ marker }) => marker)
  const marker = markers.length === 1 && argument === '' ? markers[0] : Number(/^\[?(\d+)\]?$/.exec(argument)?.[1])
  if (last && marker !== undefined && markers.includes(marker)) {
    const { openFootnote } = await import('../shared/page-server.ts')
    const server = await openFootnote(quaero, { runId: last.runId, marker }, place, place.dataDir)
    return server ? { ...chat, server } : chat
  }
  const there = markers.length > 0 ? `Name one of the footnotes: /open ${markers.join(', /open ')}` : null
  tell(place.output, there ?? (last ? 'The last answer has no footnotes' : 'Ask a question first'))
  return chat
}

async function beginNew(chat: Conversation, _: string, { output }: ChatPlace): Promise<Conversation> {
  const { threadId } = chat.options
  if (threadId !== undefined) {
    const { thread } = await shortIdsOf(chat.quaero)
    tell(output, `The next question begins a new conversation. The last one is ${thread(threadId)}`)
  }
  return { ...chat, last: null, options: chat.anew }
}

async function changeModel(chat: Conversation, argument: string, place: ChatPlace): Promise<Conversation> {
  const { output, reopen } = place
  if (argument === '') {
    tell(output, chat.model ?? chat.last?.model ?? 'The model of the settings')
    return chat
  }
  // The page is served by the engine that is closed.
  await chat.server?.close(async () => {})
  const before = { ...chat, server: null }
  try {
    const quaero = await reopen(argument)
    tell(output, plainLine(`${argument} answers from now on`))
    return { ...before, quaero, model: argument }
  } catch (error) {
    if (!(error instanceof QuaeroError)) throw error
    tell(output, plainLine(error.message))
    return { ...before, quaero: await reopen(chat.model ?? undefined) }
  }
}

import type { Config, Quaero, StartingQuaero } from '../index.ts'
import type { AskFlags } from './commands/ask.ts'
import type { ChatFlags } from './commands/chat.ts'
import type { ConfigShowFlags } from './commands/config-show.ts'
import type { DoctorFlags } from './commands/doctor.ts'
import type { AddFlags } from './commands/documents/add.ts'
import type {
  LibraryListFlags,
  LibraryRemoveFlags,
  LibrarySetFlags,
  LibraryShowFlags,
  LibraryTextFlags,
} from './commands/documents/library.ts'
import type { LibraryEmbedFlags } from './commands/documents/library-embed.ts'
import type { SearchFlags } from './commands/documents/search.ts'
import type { EvalFlags } from './commands/eval/eval.ts'
import type { PromptsDiffFlags, PromptsListFlags, PromptsPushFlags } from './commands/prompts/prompts.ts'
import type { ReplayFlags, RunsExportFlags, RunsImportFlags } from './commands/runs/replay.ts'
import type {
  RunsCancelFlags,
  RunsEventsFlags,
  RunsListFlags,
  RunsResumeFlags,
  RunsShowFlags,
} from './commands/runs/runs.ts'
import type { RunsScoreFlags } from './commands/runs/runs-score.ts'
import type { ThreadsLogFlags } from './commands/threads/thread-log.ts'
import type {
  ThreadFlags,
  ThreadsExportFlags,
  ThreadsForkFlags,
  ThreadsListFlags,
  ThreadsShowFlags,
} from './commands/threads/threads.ts'
import type { ToolsListFlags, ToolsRunFlags } from './commands/tools/tools.ts'
import type { Input, Output } from './output/terminal.ts'

/** Every command, and the flags it takes: its options and arguments. */
export interface CommandFlags {
  readonly ask: AskFlags
  readonly chat: ChatFlags
  readonly add: AddFlags
  readonly search: SearchFlags
  readonly 'library list': LibraryListFlags
  readonly 'library show': LibraryShowFlags
  readonly 'library set': LibrarySetFlags
  readonly 'library remove': LibraryRemoveFlags
  readonly 'library text': LibraryTextFlags
  readonly 'library embed': LibraryEmbedFlags
  readonly 'threads list': ThreadsListFlags
  readonly 'threads show': ThreadsShowFlags
  readonly 'threads delete': ThreadFlags
  readonly 'threads reset': ThreadFlags
  readonly 'threads export': ThreadsExportFlags
  readonly 'threads fork': ThreadsForkFlags
  readonly 'threads log': ThreadsLogFlags
  readonly 'runs list': RunsListFlags
  readonly 'runs show': RunsShowFlags
  readonly 'runs events': RunsEventsFlags
  readonly 'runs cancel': RunsCancelFlags
  readonly 'runs resume': RunsResumeFlags
  readonly 'runs score': RunsScoreFlags
  readonly 'runs replay': ReplayFlags
  readonly 'runs export': RunsExportFlags
  readonly 'runs import': RunsImportFlags
  readonly 'tools list': ToolsListFlags
  readonly 'tools run': ToolsRunFlags
  readonly 'prompts list': PromptsListFlags
  readonly 'prompts diff': PromptsDiffFlags
  readonly 'prompts push': PromptsPushFlags
  readonly eval: EvalFlags
  readonly doctor: DoctorFlags
  readonly 'config show': ConfigShowFlags
}

export type CommandName = keyof CommandFlags

/** The flags of every command. */
export interface CommonFlags {
  readonly dataDir?: string | undefined
  readonly config?: string | undefined
  readonly model?: string | undefined
  readonly json?: boolean | undefined
  readonly quiet?: boolean | undefined
  readonly debug?: boolean | undefined
}

/** What a command may use: the engine, opened when asked for, with another model than the flags say, and the settings. */
export interface Workplace {
  readonly open: (model?: string) => Promise<Quaero>
  /** The same engine on its way. */
  readonly start: () => StartingQuaero
  readonly config: () => Config
  readonly input: Input
  readonly output: Output
}

/** Does the work of one command and returns the exit code. */
export type Work<Flags> = (workplace: Workplace, flags: Flags) => Promise<number>

/** The work of every command, each loaded only when it is called. */
export const commands: { readonly [K in CommandName]: Work<CommandFlags[K]> } = {
  ask: withEngine(async () => (await import('./commands/ask.ts')).runAsk),
  chat: async ({ start, input, output }, flags) =>
    (await import('./commands/chat.ts')).runChat(start(), input, output, flags),
  add: withEngine(async () => (await import('./commands/documents/add.ts')).runAdd),
  search: withEngine(async () => (await import('./commands/documents/search.ts')).runSearch),
  'library list': withEngine(async () => (await import('./commands/documents/library.ts')).runLibraryList),
  'library show': withEngine(async () => (await import('./commands/documents/library.ts')).runLibraryShow),
  'library set': withEngine(async () => (await import('./commands/documents/library.ts')).runLibrarySet),
  'library remove': withEngine(async () => (await import('./commands/documents/library.ts')).runLibraryRemove),
  'library text': withEngine(async () => (await import('./commands/documents/library.ts')).runLibraryText),
  'library embed': withEngine(async () => (await import('./commands/documents/library-embed.ts')).runLibraryEmbed),
  'threads list': withEngine(async () => (await import('./commands/threads/threads.ts')).runThreadsList),
  'threads show': withEngine(async () => (await import('./commands/threads/threads.ts')).runThreadsShow),
  'threads delete': withEngine(async () => (await import('./commands/threads/threads.ts')).runThreadsDelete),
  'threads reset': withEngine(async () => (await import('./commands/threads/threads.ts')).runThreadsReset),
  'threads export': withEngine(async () => (await import('./commands/threads/threads.ts')).runThreadsExport),
  'threads fork': withEngine(async () => (await import('./commands/threads/threads.ts')).runThreadsFork),
  'threads log': withEngine(async () => (await import('./commands/threads/thread-log.ts')).runThreadsLog),
  'runs list': withEngine(async () => (await import('./commands/runs/runs.ts')).runRunsList),
  'runs show': withEngine(async () => (await import('./commands/runs/runs.ts')).runRunsShow),
  'runs events': withEngine(async () => (await import('./commands/runs/runs.ts')).runRunsEvents),
  'runs cancel': withEngine(async () => (await import('./commands/runs/runs.ts')).runRunsCancel),
  'runs resume': withEngine(async () => (await import('./commands/runs/runs.ts')).runRunsResume),
  'runs score': withEngine(async () => (await import('./commands/runs/runs-score.ts')).runRunsScore),
  'runs replay': withEngine(async () => (await import('./commands/runs/replay.ts')).runRunsReplay),
  'runs export': withEngine(async () => (await import('./commands/runs/replay.ts')).runRunsExport),
  'runs import': withEngine(async () => (await import('./commands/runs/replay.ts')).runRunsImport),
  'tools list': withEngine(async () => (await import('./commands/tools/tools.ts')).runToolsList),
  'tools run': withEngine(async () => (await import('./commands/tools/tools.ts')).runToolsRun),
  'prompts list': async (workplace, flags) =>
    (await import('./commands/prompts/prompts.ts')).runPromptsList(workplace, flags),
  'prompts diff': async (workplace, flags) =>
    (await import('./commands/prompts/prompts.ts')).runPromptsDiff(workplace, flags),
  'prompts push': async (workplace, flags) =>
    (await import('./commands/prompts/prompts.ts')).runPromptsPush(workplace, flags),
  eval: async (workplace, flags) =>
    (await import('./commands/eval/eval.ts')).runEval(workplace, workplace.input, workplace.output, flags),
  doctor: async ({ open, config, input, output }, flags) =>
    (await import('./commands/doctor.ts')).runDoctor({ open, config: config() }, input, output, flags),
  'config show': async ({ config, output }, flags) =>
    (await import('./commands/config-show.ts')).runConfigShow(config(), output, flags),
}

type EngineCommand<Flags> = (quaero: Quaero, input: Input, output: Output, flags: Flags) => Promise<number>

function withEngine<Flags>(load: () => Promise<EngineCommand<Flags>>): Work<Flags> {
  return async ({ open, input, output }, flags) => (await load())(await open(), input, output, flags)
}

import type { CommandModule } from '../command/command.ts'
import { add } from './add.ts'
import { ask } from './ask.ts'
import { chat } from './chat.ts'
import { configShow } from './config-show.ts'
import { doctor } from './doctor.ts'
import { evaluation } from './eval.ts'
import { libraryEmbed } from './library/embed.ts'
import { libraryList } from './library/list.ts'
import { libraryRemove } from './library/remove.ts'
import { librarySet } from './library/set.ts'
import { libraryShow } from './library/show.ts'
import { libraryText } from './library/text.ts'
import { promptsDiff } from './prompts/diff.ts'
import { promptsList } from './prompts/list.ts'
import { promptsPush } from './prompts/push.ts'
import { runsCancel } from './runs/cancel.ts'
import { runsEvents } from './runs/events.ts'
import { runsExport } from './runs/export.ts'
import { runsImport } from './runs/import.ts'
import { runsList } from './runs/list.ts'
import { runsReplay } from './runs/replay.ts'
import { runsResume } from './runs/resume.ts'
import { runsScore } from './runs/score.ts'
import { runsShow } from './runs/show.ts'
import { search } from './search.ts'
import { threadsDelete } from './threads/delete.ts'
import { threadsExport } from './threads/export.ts'
import { threadsFork } from './threads/fork.ts'
import { threadsList } from './threads/list.ts'
import { threadsLog } from './threads/log.ts'
import { threadsReset } from './threads/reset.ts'
import { threadsShow } from './threads/show.ts'
import { toolsList } from './tools/list.ts'
import { toolsRun } from './tools/run.ts'

/** A name that several commands share, for instance `runs`. */
export interface CommandGroup {
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly examples: readonly string[]
  readonly commands: readonly CommandModule[]
}

/** Every command, in the order in which `--help` lists them. */
export const commands: readonly (CommandModule | CommandGroup)[] = [
  ask,
  chat,
  add,
  search,
  {
    name: 'library',
    summary: 'list, show, correct and remove documents',
    description: 'List, show, correct, read and remove the documents that answers come from.',
    examples: ['library list', 'library text 3f2a9c01d4e5b678 --page 5', 'library remove 3f2a9c01d4e5b678'],
    commands: [libraryList, libraryText, libraryShow, librarySet, libraryRemove, libraryEmbed],
  },
  {
    name: 'threads',
    summary: 'list, show, fork, export and delete conversations',
    description: 'List, show, fork, export and delete conversations.',
    examples: ['threads list', 'threads export my-thread --format md > conversation.md'],
    commands: [threadsList, threadsShow, threadsDelete, threadsReset, threadsFork, threadsExport, threadsLog],
  },
  {
    name: 'runs',
    summary: 'list, show, resume, replay and cancel runs',
    description: 'List, show, resume, replay and cancel runs: each question is one.',
    examples: ['runs list', 'runs resume <runId>', 'runs events <runId> --jsonl'],
    commands: [runsList, runsShow, runsEvents, runsCancel, runsResume, runsScore, runsReplay, runsExport, runsImport],
  },
  {
    name: 'tools',
    summary: 'list tools, and run one without a model',
    description: 'List the tools that agents can use, and run one by hand, without a model.',
    examples: ['tools list', `tools run pdf_retrieval --args '{"query":"leases"}'`],
    commands: [toolsList, toolsRun],
  },
  {
    name: 'prompts',
    summary: 'list prompts, and manage them in Langfuse',
    description: 'List the prompts of agents and specialists, compare them with Langfuse, and put them there.',
    examples: ['prompts list', 'prompts diff --label production', 'prompts push'],
    commands: [promptsList, promptsDiff, promptsPush],
  },
  evaluation,
  doctor,
  {
    name: 'config',
    summary: 'show the settings',
    description: 'Show the settings.',
    examples: ['config show'],
    commands: [configShow],
  },
]

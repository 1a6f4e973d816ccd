import type { CommandModule } from '../command/command.ts'
import { add } from './add.ts'
import { ask } from './ask.ts'
import { chat } from './chat.ts'
import { configShow } from './config-show.ts'
import { doctor } from './doctor.ts'
import { evaluation } from './eval.ts'
import { libraryEmbed, libraryList, libraryRemove, librarySet, libraryShow, libraryText } from './library.ts'
import { promptsDiff, promptsList, promptsPush } from './prompts.ts'
import { runsEvents, runsResume } from './run-events.ts'
import { runsCancel, runsExport, runsImport, runsList, runsReplay, runsScore, runsShow } from './runs.ts'
import { search } from './search.ts'
import {
  threadsDelete,
  threadsExport,
  threadsFork,
  threadsList,
  threadsLog,
  threadsReset,
  threadsShow,
} from './threads.ts'
import { toolsList, toolsRun } from './tools.ts'

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

import type { CommandModule } from '../command/command.ts'
import { add } from './add.ts'
import { ask } from './ask.ts'
import { audit } from './audit.ts'
import { chat } from './chat.ts'
import { claimsCheck, claimsList } from './claims.ts'
import { completion } from './completion.ts'
import { configShow } from './config-show.ts'
import { doctor } from './doctor.ts'
import { evaluation } from './eval.ts'
import { exportReferences } from './export.ts'
import { init } from './init.ts'
import {
  libraryCite,
  libraryEmbed,
  libraryList,
  libraryRemove,
  librarySet,
  libraryShow,
  libraryTag,
  libraryText,
} from './library.ts'
import { promptsDiff, promptsList, promptsPush } from './prompts.ts'
import { queueContinue, queuePause, queueShow, worker } from './queue.ts'
import { report } from './report.ts'
import { runsEvents, runsResume } from './run-events.ts'
import { runsCancel, runsExport, runsImport, runsList, runsNote, runsReplay, runsScore, runsShow } from './runs.ts'
import { search } from './search.ts'
import { mcp, open, serve } from './serve.ts'
import { storeCopy } from './store.ts'
import { table } from './table.ts'
import {
  threadsDelete,
  threadsExport,
  threadsFork,
  threadsList,
  threadsLog,
  threadsRename,
  threadsReset,
  threadsShow,
} from './threads.ts'
import { toolsList, toolsRun } from './tools.ts'
import { verify } from './verify.ts'

/** A name that several commands share, for instance `runs`. */
export interface CommandGroup {
  readonly name: string
  readonly description: string
  readonly commands: readonly CommandModule[]
}

/** Every command, in the order in which `--help` lists them. */
export const commands: readonly (CommandModule | CommandGroup)[] = [
  ask,
  chat,
  add,
  search,
  table,
  report,
  exportReferences,
  verify,
  audit,
  open,
  serve,
  worker,
  {
    name: 'queue',
    description: 'show, pause and continue the queue of the workers',
    commands: [queueShow, queuePause, queueContinue],
  },
  mcp,
  {
    name: 'library',
    description: 'list, show, correct and remove documents',
    commands: [libraryList, libraryText, libraryShow, librarySet, libraryCite, libraryTag, libraryRemove, libraryEmbed],
  },
  {
    name: 'threads',
    description: 'list, show, fork, export and delete conversations',
    commands: [
      threadsList,
      threadsShow,
      threadsDelete,
      threadsRename,
      threadsReset,
      threadsFork,
      threadsExport,
      threadsLog,
    ],
  },
  {
    name: 'runs',
    description: 'list, show, resume, replay and cancel runs',
    commands: [
      runsList,
      runsShow,
      runsEvents,
      runsCancel,
      runsResume,
      runsScore,
      runsNote,
      runsReplay,
      runsExport,
      runsImport,
    ],
  },
  {
    name: 'claims',
    description: 'list the sentences of answers with their quotes, and look them up again',
    commands: [claimsList, claimsCheck],
  },
  { name: 'store', description: 'copy all data to another database', commands: [storeCopy] },
  {
    name: 'tools',
    description: 'list tools, and run one without a model',
    commands: [toolsList, toolsRun],
  },
  {
    name: 'prompts',
    description: 'list prompts, and manage them in Langfuse',
    commands: [promptsList, promptsDiff, promptsPush],
  },
  evaluation,
  init,
  doctor,
  completion,
  {
    name: 'config',
    description: 'show the settings',
    commands: [configShow],
  },
]

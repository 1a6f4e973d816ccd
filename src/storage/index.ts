// What is stored, as ports, and SQLite behind them; PostgreSQL is loaded where it is chosen.

export { type CopyOptions, type CopyProgress, type CopyReport, copyStorage } from './copy/copy-storage.ts'
export { checkIdentifier } from './identifier.ts'
export { type Mail, Mailbox } from './mailbox.ts'
export type {
  ClaimedFile,
  FileQueue,
  QueuedChoices,
  QueueFigures,
  QueueLimits,
  QueueMember,
  RunQueue,
} from './queues.ts'
export {
  type Channel,
  type DeltaLine,
  type DeltaSignal,
  lengthOf,
  type MessagePart,
  partOf,
  type RunSignal,
  type SignalSource,
} from './run-signals.ts'
export { checkpointSerializer } from './serializer.ts'
export { openSqliteStorage } from './sqlite/sqlite-storage.ts'
export type { LiveRuns, RunBeginning, Storage, StorageReport } from './storage.ts'

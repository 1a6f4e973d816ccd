import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot, type Settings } from '../../config.ts'
import { type DocumentProblem, DocumentUnreadable } from '../../errors.ts'
import type { FailureRecord, PassageIndex } from '../port/passage-index.ts'

export type FileState = Pick<FailureRecord, 'source' | 'size' | 'modifiedMs'>

export interface FailureMemory {
  /** Throws the error of the last attempt if nothing has changed since. */
  check(file: FileState): Promise<void>
  /** Stores why a file could not be read, unless another attempt may succeed. */
  remember(file: FileState, error: DocumentUnreadable): Promise<void>
}

export interface FailureMemoryOptions {
  readonly index: PassageIndex
  readonly settings: Settings['library']
  readonly passwords?: readonly string[] | undefined
  /** Reads failed files again. */
  readonly retry?: boolean | undefined
}

/** Failures of the machine, not of the file. */
const passing: ReadonlySet<DocumentProblem> = new Set<DocumentProblem>(['unreadable', 'reader_crashed'])

/** Files that cannot be read are not read again while file, reader and limits stay the same. */
export function failureMemory({ index, settings, passwords = [], retry = false }: FailureMemoryOptions): FailureMemory {
  const reader = describeReader(settings)
  return {
    async check({ source, size, modifiedMs }) {
      const before = await index.failure(source)
      const isSame = before?.size === size && before.modifiedMs === modifiedMs && before.reader === reader
      if (!before || !isSame || retry) return
      if (before.code === 'password_needed' && passwords.length > 0) return
      const message = `${before.message}. It has not changed since, so it was not read again; "quaero add --retry" does that`
      // Written by `remember`, so it is one of the codes.
      throw new DocumentUnreadable(before.code as DocumentProblem, message)
    },
    async remember(file, { code, message }) {
      if (!passing.has(code)) await index.putFailure({ ...file, reader, code, message })
    },
  }
}

/** A newer version, or larger limits, may read what failed. */
function describeReader({ readers: _, maxFiles: __, ...budgets }: Settings['library']): string {
  const { version }: { readonly version: string } = JSON.parse(
    readFileSync(join(packageRoot(), 'package.json'), 'utf8'),
  )
  return JSON.stringify({ version, ...budgets })
}

import { z } from 'zod'
import { type FilterOptions, filterShape } from '../../library/index.ts'
import { abortSignal, type Shape } from '../../options.ts'
import type { Limits } from '../../runs/index.ts'

/** How documents are asked, in a table, a report or an audit: all of the library, if nothing is said. */
export interface AskingRequest extends FilterOptions {
  /** Files or folders, which are added if they are new or changed. */
  readonly documents?: readonly string[]
  /** Ids of documents in the library, in place of `documents`. */
  readonly documentIds?: readonly string[]
  /** Ids of documents that are not asked, whatever else is said. */
  readonly except?: readonly string[]
  /** How many runs are worked on side by side; 4, if absent. */
  readonly atOnce?: number
  /** Asks again what is known, too. */
  readonly afresh?: boolean
  /** Of each run. */
  readonly limits?: Limits
  /** Stops the runs under way; the same request goes on with them. */
  readonly signal?: AbortSignal
}

const texts = z.array(z.string()).optional()

/** Its fields, for the schema of a request. */
export const askingRequest = {
  ...filterShape,
  documents: texts,
  documentIds: texts,
  except: texts,
  atOnce: z.number().int().min(1).max(64).optional(),
  afresh: z.boolean().optional(),
  // Checked with each run.
  limits: z.unknown().optional(),
  signal: abortSignal.optional(),
} satisfies Shape<AskingRequest>

export const usualAtOnce = 4

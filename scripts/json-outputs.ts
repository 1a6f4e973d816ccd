import { z } from 'zod'
import { claimQuote, provenClaim } from '../src/claims/cards/claim.ts'
import { answerWithout } from '../src/claims/cards/without.ts'
import { proof } from '../src/claims/proof/proof.ts'
import { questionColumn } from '../src/claims/table/table.ts'
import { evalReport } from '../src/eval/index.ts'
import {
  audit,
  calculation,
  citation,
  claim,
  fallenClaim,
  keptScore,
  observation,
  outline,
  report,
  runResult,
  runStates,
  table,
} from '../src/index.ts'

const count = z.number().int().nonnegative()
const problem = z.strictObject({ code: z.string(), message: z.string() })
const time = z.iso.datetime()

const addedDocument = z.strictObject({
  path: z.string(),
  documentId: z.string().nullable(),
  status: z.enum(['added', 'unchanged', 'updated', 'failed']),
  pages: count,
  passages: count,
  error: problem.nullable(),
  replaces: z.string().optional(),
  renamedFrom: z.string().optional(),
  recognisedBy: z.string().optional(),
})

const embedReport = z.strictObject({
  model: z.string(),
  dimensions: count.nullable(),
  embedded: count,
  sent: count,
  tokens: count.nullable(),
  costUsd: z.number().nullable(),
  missing: count,
  error: problem.nullable(),
})

const addReport = z.strictObject({
  documents: z.array(addedDocument),
  removed: z.array(z.strictObject({ path: z.string(), documentId: z.string() })),
  totals: z.strictObject({
    added: count,
    unchanged: count,
    updated: count,
    failed: count,
    removed: count,
    skipped: count,
    pages: count,
    passages: count,
  }),
  embeddings: embedReport.optional(),
  fallen: z.array(fallenClaim).optional(),
})

const passage = z.strictObject({
  passageId: z.string(),
  documentId: z.string(),
  ordinal: count,
  page: count.min(1),
  section: z.string().nullable(),
  kind: z.enum(['text', 'table', 'references']),
  start: count,
  end: count,
  text: z.string(),
})

const searchHit = z.strictObject({
  rank: count.min(1),
  score: z.number().min(0).max(1),
  passageId: z.string(),
  documentId: z.string(),
  title: z.string().nullable(),
  source: z.string(),
  format: z.string(),
  page: count.min(1),
  pageLabel: z.string().nullable(),
  section: z.string().nullable(),
  start: count,
  end: count,
  text: z.string(),
  also: z.array(
    z.strictObject({
      passageId: z.string(),
      documentId: z.string(),
      title: z.string().nullable(),
      source: z.string(),
      format: z.string(),
      page: count.min(1),
      pageLabel: z.string().nullable(),
    }),
  ),
  before: z.array(passage).optional(),
  after: z.array(passage).optional(),
})

/** An item of CSL JSON of which each field is a text. */
const reference = z.object({ id: z.string() }).catchall(z.string())

const documentRecord = z.strictObject({
  documentId: z.string(),
  title: z.string().nullable(),
  authors: z.array(z.string()),
  year: z.number().int().nullable(),
  source: z.string(),
  pages: count,
  passages: count,
  tags: z.array(z.string()),
  addedAt: time.nullable(),
  reference: reference.optional(),
})

/** What is known of one field: what holds, how it is known, and what it holds instead of. */
function known<Value extends z.ZodType>(value: Value) {
  return z.strictObject({
    value: value.nullable(),
    from: z.string().nullable(),
    insteadOf: z.array(z.strictObject({ value, from: z.string() })),
  })
}

const documentDetails = z.strictObject({
  documentId: z.string(),
  title: known(z.string()),
  authors: known(z.array(z.string())),
  year: known(z.number().int()),
  source: z.string(),
  sources: z.array(z.string()),
  format: z.string(),
  pages: count,
  passages: count,
  tags: z.array(z.string()),
  addedAt: time.nullable(),
  reference: reference.optional(),
  summary: z.array(z.strictObject({ page: count.min(1), text: z.string(), start: count, end: count })),
  questions: z.array(z.string()),
  leftOut: z
    .array(
      z.strictObject({
        page: count.min(1),
        reason: z.enum(['running head', 'page number', 'stamp']),
        text: z.string(),
        start: count.nullable(),
      }),
    )
    .nullable(),
  recognised: z.array(z.strictObject({ page: count.min(1), confidence: z.number().min(0).max(1) })),
})

const runSummary = z.strictObject({
  runId: z.string(),
  threadId: z.string(),
  status: z.enum(runStates),
  question: z.string(),
  startedAt: time.nullable(),
  endedAt: time.nullable(),
})

/** A prompt's file, and what the prompt is called in Langfuse. */
const namedPrompt = z.strictObject({ id: z.string(), version: z.number(), path: z.string(), name: z.string() })
const langfuseVersion = count.nullable()

/** One line of `--jsonl`, and one event of `runs events`: what every event has. docs/events.md lists the payloads. */
const eventLine = z.looseObject({
  id: z.string(),
  type: z.string(),
  timestamp: time,
  runId: z.string(),
  threadId: z.string().nullable(),
  correlationId: z.string(),
  causationId: z.string().optional(),
  agent: z.string().optional(),
  position: count.min(1).optional(),
  payload: z.record(z.string(), z.unknown()),
})

/** A claim whose quotes were looked up again. */
function standingOf<Of extends z.ZodType>(of: Of) {
  const now = z.strictObject({ documentId: z.string(), source: z.string(), page: count.min(1), text: z.string() })
  return z.strictObject({
    claim: of,
    stands: z.boolean(),
    quotes: z.array(
      z.strictObject({
        quote: claimQuote,
        stands: z.boolean(),
        change: z.enum(['document changed', 'document gone', 'other words']).nullable(),
        now: now.nullable(),
      }),
    ),
    formulas: z.array(z.string()),
  })
}

/** What each command prints with `--json`, and `proof`, which exported files carry; `docs/schema/` is generated from this. */
export const jsonOutputs = {
  audit,
  ask: runResult.extend({ digest: z.string() }),
  'ask.jsonl-line': eventLine,
  add: addReport,
  'add.watch-line': addReport.extend({
    folder: z.string(),
    at: time,
    counts: z.strictObject({
      added: count,
      changed: count,
      renamed: count,
      removed: count,
      failed: count,
      fallen: count,
    }),
    problem: problem.nullable(),
    skipped: z.array(z.string()),
  }),
  search: z.array(searchHit),
  table,
  'table.dry-run': z.strictObject({
    columns: z.array(questionColumn),
    limitedTo: runResult.shape.limitedTo,
    documents: z.array(z.strictObject({ documentId: z.string(), source: z.string() })),
    known: count,
    open: count,
    perCell: z
      .strictObject({ modelCalls: count, tokens: count, costUsd: z.number().nonnegative().nullable() })
      .nullable(),
  }),
  verify: z.strictObject({
    stands: z.boolean(),
    changes: z.array(z.string()),
    claims: z.array(standingOf(provenClaim)),
  }),
  proof,
  'claims-list': z.array(claim),
  'claims-check': z.array(standingOf(claim)),
  report,
  'report.dry-run': outline,
  'library-list': z.strictObject({ documents: z.array(documentRecord) }),
  'library-cite': z.strictObject({
    entries: z.array(
      z.strictObject({
        key: z.string(),
        state: z.enum(['matched', 'ambiguous', 'no document']),
        by: z.enum(['file', 'doi', 'title']).nullable(),
        documentIds: z.array(z.string()),
      }),
    ),
    uncited: count,
  }),
  'library-tag': z.strictObject({ documents: z.array(documentRecord) }),
  'library-show': documentDetails,
  'library-set': documentDetails,
  'library-remove': z.strictObject({ documentId: z.string(), fallen: z.array(fallenClaim) }),
  'library-embed': embedReport,
  'library-text': z.strictObject({
    documentId: z.string(),
    page: count.min(1),
    text: z.string(),
    confidence: z.number().min(0).max(1).optional(),
  }),
  'threads-list': z.strictObject({
    threads: z.array(
      z.strictObject({
        threadId: z.string(),
        title: z.string(),
        turns: count,
        userId: z.string().nullable(),
        metadata: z.record(z.string(), z.unknown()),
        createdAt: time,
        updatedAt: time,
      }),
    ),
  }),
  'threads-show': z.strictObject({
    threadId: z.string(),
    messages: z.array(
      z.strictObject({
        role: z.enum(['user', 'assistant']),
        content: z.string(),
        runId: z.string(),
        messageId: z.string().optional(),
        createdAt: time,
        citations: z.array(citation).optional(),
        calculations: z.array(calculation).optional(),
        sentences: runResult.shape.sentences.optional(),
        unsupported: runResult.shape.unsupported.optional(),
        imported: runResult.shape.imported.unwrap().optional(),
        added: z.literal(true).optional(),
        note: runResult.shape.note,
      }),
    ),
    fallen: z.array(fallenClaim).optional(),
  }),
  'threads-rename': z.strictObject({ threadId: z.string(), title: z.string() }),
  'threads-fork': z.strictObject({ threadId: z.string(), from: z.string(), turns: count }),
  'threads-export': z.strictObject({
    threadId: z.string(),
    messages: z.array(
      z.strictObject({
        role: z.enum(['user', 'assistant']),
        content: z.string(),
        citations: z.array(citation).optional(),
        calculations: z.array(calculation).optional(),
        sentences: runResult.shape.sentences.optional(),
        unsupported: runResult.shape.unsupported.optional(),
        imported: runResult.shape.imported.unwrap().optional(),
        note: runResult.shape.note,
      }),
    ),
    runs: z.array(runSummary.extend({ scores: z.array(keptScore).optional() })),
  }),
  'runs-list': z.strictObject({ runs: z.array(runSummary) }),
  'runs-show': runResult.extend({ scores: z.array(keptScore).optional() }),
  'runs-score': keptScore,
  'runs-note': z.strictObject({ note: runResult.shape.note.unwrap().nullable() }),
  'runs-replay': runResult,
  'runs-replay.without': answerWithout,
  'runs-replay.to': z.looseObject({
    position: count.min(1),
    last: count.min(1),
    status: z.looseObject({ state: z.enum(runStates), modelCalls: count, toolCalls: count }),
    messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant']), content: z.string() })),
    result: runResult,
  }),
  'runs-import': z.strictObject({ runId: z.string(), threadId: z.string() }),
  'runs-events': z.strictObject({ events: z.array(eventLine) }),
  'tools-list': z.strictObject({
    tools: z.array(
      z.strictObject({
        name: z.string(),
        description: z.string(),
        sensitive: z.boolean(),
        network: z.boolean(),
        needsApproval: z.boolean(),
        input: z.record(z.string(), z.unknown()),
      }),
    ),
  }),
  'tools-run': z.strictObject({
    tool: z.string(),
    content: z.string(),
    observations: z.array(observation),
    final: z.string().nullable(),
  }),
  'prompts-list': z.strictObject({
    prompts: z.array(namedPrompt.extend({ source: z.enum(['file', 'langfuse']), langfuseVersion })),
  }),
  'prompts-diff': z.strictObject({
    label: z.string(),
    prompts: z.array(
      namedPrompt.extend({
        state: z.enum(['same', 'different', 'missing', 'unusable']),
        langfuseVersion,
        problem: z.string().nullable(),
        diff: z.string(),
      }),
    ),
  }),
  'prompts-push': z.strictObject({
    label: z.string(),
    dryRun: z.boolean(),
    prompts: z.array(namedPrompt.extend({ action: z.enum(['created', 'labelled', 'unchanged']), langfuseVersion })),
  }),
  eval: evalReport,
  doctor: z.strictObject({
    ok: z.boolean(),
    checks: z.array(
      z.strictObject({ name: z.string(), ok: z.boolean(), warning: z.boolean().optional(), message: z.string() }),
    ),
    storage: z.looseObject({ path: z.string(), bytes: count, schemaVersion: count }).nullable(),
  }),
  'queue-show': z.strictObject({
    isPaused: z.boolean(),
    waiting: count,
    working: count,
    workers: count,
    oldestSeconds: z.number().nonnegative().nullable(),
    outside: z.strictObject({ running: count, requires_action: count, interrupted: count }),
    files: z.strictObject({ waiting: count, working: count }),
  }),
  'store-copy': z.strictObject({ rows: z.record(z.string(), count) }),
  'config-show': z.strictObject({
    settings: z.record(z.string(), z.unknown()),
    environment: z.record(z.string(), z.string()),
  }),
  error: z.strictObject({ error: problem }),
} as const

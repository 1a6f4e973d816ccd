import type { Database as Connection } from 'better-sqlite3'
import { SchemaUnsupported, StorageUnavailable } from '../../../errors.ts'

/** `PRAGMA application_id` of a Quaero database: "QUAE" in ASCII. */
export const applicationId = 0x51_55_41_45

/** The version that the first entry of the history makes; databases of versions before it were never released. */
export const firstVersion = 11

// It stands on its own, so that a damaged index can be dropped and made again from the tables.
/** The part of the schema that makes the full-text index. */
export const passageTermsSchema = `
CREATE VIRTUAL TABLE passage_terms USING fts5(
  title, section, text,
  content = '', contentless_delete = 1, detail = full, tokenize = 'porter unicode61 remove_diacritics 2'
);
`

/**
 * The schema's history: the first entry makes a database of `firstVersion`, each other leads from the version before to
 * the next (`PRAGMA user_version`). Entries are never changed, only added.
 *
 * `checkpoints` and `writes` are the tables of `SqliteSaver` (@langchain/langgraph-checkpoint-sqlite), as it makes them,
 * with `sequence`: what is newest is told by counters, since ids of checkpoints and timestamps of events follow clocks,
 * which may be set back.
 */
export const migrations: readonly string[] = [
  `
CREATE TABLE checkpoints (
  thread_id TEXT NOT NULL,
  checkpoint_ns TEXT NOT NULL DEFAULT '',
  checkpoint_id TEXT NOT NULL,
  parent_checkpoint_id TEXT,
  type TEXT,
  checkpoint BLOB,
  metadata BLOB,
  sequence INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id)
);
CREATE INDEX checkpoints_in_order ON checkpoints (thread_id, sequence);
CREATE TABLE writes (
  thread_id TEXT NOT NULL,
  checkpoint_ns TEXT NOT NULL DEFAULT '',
  checkpoint_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  idx INTEGER NOT NULL,
  channel TEXT NOT NULL,
  type TEXT,
  value BLOB,
  PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
);

-- In the order in which they happened: pages fill up, and a long payload needs no page of its own.
CREATE TABLE events (
  run_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  agent TEXT,
  causation_id TEXT,
  payload TEXT NOT NULL,
  PRIMARY KEY (run_id, position)
) STRICT;
-- snapshot is the run's status folded from the events up to snapshot_position; question is a JSON string, which
-- keeps text that UTF-8 cannot. reset_after is 1 for the run after which its thread was reset.
CREATE TABLE runs (
  number INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  thread_id TEXT NOT NULL,
  turn INTEGER NOT NULL,
  question TEXT NOT NULL,
  created_at TEXT NOT NULL,
  snapshot TEXT,
  snapshot_position INTEGER NOT NULL DEFAULT 0,
  activity INTEGER NOT NULL DEFAULT 0,
  reset_after INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX runs_by_thread ON runs (thread_id, turn);
CREATE INDEX runs_by_activity ON runs (activity);
-- A token is never used again: it tells the writes of the present holder from those of a former one.
CREATE TABLE leases (
  token INTEGER PRIMARY KEY AUTOINCREMENT,
  thread_id TEXT NOT NULL UNIQUE,
  run_id TEXT NOT NULL,
  owner TEXT NOT NULL,
  system TEXT NOT NULL,
  pid INTEGER NOT NULL,
  process_start TEXT NOT NULL,
  acquired_at TEXT NOT NULL,
  renewals INTEGER NOT NULL DEFAULT 0,
  expires_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX leases_by_run ON leases (run_id);
-- What people say of a run, beside its log: that is over when they say it. value is JSON.
CREATE TABLE scores (
  number INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  comment TEXT,
  user_id TEXT,
  scored_at TEXT NOT NULL,
  delivery TEXT NOT NULL,
  UNIQUE (run_id, name)
) STRICT;
CREATE INDEX scores_waiting ON scores (number) WHERE delivery = 'waiting';

-- title, authors and year are those in force; reader holds, as JSON, what the reader found and how.
CREATE TABLE documents (
  document_id TEXT PRIMARY KEY,
  title TEXT,
  authors TEXT NOT NULL,
  year INTEGER,
  source TEXT NOT NULL,
  format TEXT NOT NULL,
  pages INTEGER NOT NULL,
  passages INTEGER NOT NULL,
  reader TEXT NOT NULL DEFAULT '{}'
) STRICT;
CREATE TABLE sources (
  number INTEGER PRIMARY KEY,
  source TEXT NOT NULL UNIQUE,
  document_id TEXT NOT NULL REFERENCES documents ON DELETE CASCADE,
  size INTEGER NOT NULL,
  modified_ms REAL NOT NULL,
  location TEXT,
  sidecar TEXT
) STRICT;
CREATE INDEX sources_by_document ON sources (document_id);
-- What a person states outlives the document, so that it holds again when the same file comes back.
CREATE TABLE overrides (
  document_id TEXT PRIMARY KEY,
  stated TEXT NOT NULL
) WITHOUT ROWID, STRICT;
CREATE TABLE failures (
  source TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  modified_ms REAL NOT NULL,
  reader TEXT NOT NULL,
  code TEXT NOT NULL,
  message TEXT NOT NULL
) WITHOUT ROWID, STRICT;
-- A document that is still being stored, or being removed, is not seen until it is complete; active_at is when its owner
-- last worked on it, in milliseconds.
CREATE TABLE unfinished_documents (
  document_id TEXT PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
  claim TEXT NOT NULL,
  pid INTEGER NOT NULL,
  process_start TEXT NOT NULL,
  active_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
CREATE TABLE pages (
  document_id TEXT NOT NULL REFERENCES documents ON DELETE CASCADE,
  number INTEGER NOT NULL,
  label TEXT,
  text TEXT NOT NULL,
  header TEXT,
  PRIMARY KEY (document_id, number)
) STRICT;
-- The text of a long page stands in pieces: the first in pages.text, the others here; start_at counts UTF-16 code units.
CREATE TABLE page_pieces (
  document_id TEXT NOT NULL REFERENCES documents ON DELETE CASCADE,
  page INTEGER NOT NULL,
  start_at INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (document_id, page, start_at)
) STRICT;
-- A passage's text is not stored: it is the page's text from start_at to end_at, in UTF-16 code units.
CREATE TABLE passages (
  number INTEGER PRIMARY KEY,
  passage_id TEXT NOT NULL UNIQUE,
  document_id TEXT NOT NULL REFERENCES documents ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  page INTEGER NOT NULL,
  section TEXT,
  kind TEXT NOT NULL,
  start_at INTEGER NOT NULL,
  end_at INTEGER NOT NULL,
  UNIQUE (document_id, ordinal)
) STRICT;
${passageTermsSchema}
-- Of which version of indexForm the words in passage_terms are; older ones are made anew when they are first needed.
CREATE TABLE passage_terms_form (version INTEGER NOT NULL) STRICT;
INSERT INTO passage_terms_form VALUES (0);

-- Vectors are comparable within a space: what one model gives, in one dimension, for texts with one prefix; asked is
-- the dimension that was asked for. Each text has one vector, whichever passages hold it; AUTOINCREMENT, so that a
-- number is never used again. Components are 32-bit floats, least significant byte first, of length 1 together.
CREATE TABLE vector_spaces (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  model TEXT NOT NULL,
  asked INTEGER,
  prefix TEXT NOT NULL,
  dimensions INTEGER NOT NULL
) STRICT;
CREATE TABLE vectors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  space INTEGER NOT NULL REFERENCES vector_spaces ON DELETE CASCADE,
  text_hash TEXT NOT NULL,
  components BLOB NOT NULL,
  UNIQUE (space, text_hash)
) STRICT;
CREATE TABLE passage_vectors (
  passage INTEGER NOT NULL REFERENCES passages ON DELETE CASCADE,
  space INTEGER NOT NULL,
  vector INTEGER NOT NULL REFERENCES vectors ON DELETE CASCADE,
  PRIMARY KEY (passage, space)
) WITHOUT ROWID, STRICT;
CREATE INDEX passage_vectors_by_vector ON passage_vectors (vector);
CREATE TABLE vector_worker (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  pid INTEGER NOT NULL,
  process_start TEXT NOT NULL
) STRICT;
`,
  // Where the stretches of a page's text are printed, as JSON: start, end, left, bottom, right, top; null where not known.
  `
ALTER TABLE pages ADD COLUMN places TEXT;
`,
  // What is stated of threads, those included that have no run yet. title is JSON, as questions are; null: the first question.
  `
CREATE TABLE threads (
  thread_id TEXT PRIMARY KEY,
  title TEXT,
  user_id TEXT,
  metadata TEXT NOT NULL,
  created_at TEXT NOT NULL,
  activity INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
`,
  // Of the text beside it; null where it was stored before there were checksums.
  `
ALTER TABLE pages ADD COLUMN checksum TEXT;
ALTER TABLE page_pieces ADD COLUMN checksum TEXT;
`,
  // The tables that begin in the text beside it, as JSON (PageTable of library/port/document.ts); null without one, and where
  // the text was stored before tables were kept.
  `
ALTER TABLE pages ADD COLUMN tables TEXT;
ALTER TABLE page_pieces ADD COLUMN tables TEXT;
`,
  // What of a page stands in no passage, as JSON: reason, text, start; null where it was stored before this was kept.
  `
ALTER TABLE pages ADD COLUMN left_out TEXT;
`,
  // Where the sections of a passage of several begin, as JSON: start, section; null for one, and where it was stored before.
  `
ALTER TABLE passages ADD COLUMN sections TEXT;
`,
  // What PostgreSQL has, too, so that both have the same statements. ended: the snapshot says that the run is over. begun and
  // queue_place are for a queue, of which SQLite has none. result_hash finds the result of a tool that a message repeats;
  // null where it was stored before. packed: a long payload, as raw deflate of JSON; then payload is empty.
  `
ALTER TABLE events ADD COLUMN result_hash TEXT;
ALTER TABLE events ADD COLUMN packed BLOB;
ALTER TABLE runs ADD COLUMN user_id TEXT;
ALTER TABLE runs ADD COLUMN ended INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN begun INTEGER NOT NULL DEFAULT 1;
ALTER TABLE runs ADD COLUMN queue_place INTEGER;
ALTER TABLE leases ADD COLUMN job TEXT;
UPDATE runs SET
  user_id = (SELECT payload ->> 'userId' FROM events WHERE events.run_id = runs.run_id AND position = 1),
  ended = coalesce(snapshot ->> 'state' IN (
    'completed', 'clarification_needed', 'limit_reached', 'failed', 'cancelled'
  ), 0);
CREATE INDEX runs_unfinished ON runs (number) WHERE NOT ended;
`,
  // How sure the program is that recognised a page's text in a picture, 0 to 1; null where there was none or it did not say.
  `
ALTER TABLE pages ADD COLUMN confidence REAL;
`,
  // tags in force, as JSON; added_at: null where it was stored before this was kept.
  `
ALTER TABLE documents ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
ALTER TABLE documents ADD COLUMN added_at TEXT;
`,
]

/**
 * How many entries of the history a database has; 0 for an empty file. Throws `SchemaUnsupported` for a version before
 * the first or after the last, and `StorageUnavailable` for the database of another program. Changes nothing.
 */
export function stepsApplied(connection: Connection, path: string, steps: readonly string[] = migrations): number {
  const version = Number(connection.pragma('user_version', { simple: true }))
  const owner = Number(connection.pragma('application_id', { simple: true }))
  const isEmpty = connection.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined
  if (isEmpty && owner === 0 && version === 0) return 0
  if (owner !== applicationId) {
    throw new StorageUnavailable(
      `${path} is the database of another program. Choose another folder with --data-dir; this file was not changed.`,
    )
  }
  const applied = version - firstVersion + 1
  if (applied > 0 && applied <= steps.length) return applied
  const known = `this version of Quaero knows ${firstVersion} to ${firstVersion + steps.length - 1}`
  const cause = applied > 0 ? 'Update Quaero, or choose' : 'It was written before the first release. Choose'
  throw new SchemaUnsupported(
    `${path} has schema version ${version}; ${known}. ${cause} another folder with --data-dir, and add the documents there. This file was not changed.`,
  )
}

/** Brings the schema to the newest version. Call it inside a transaction: all steps happen, or none. */
export function migrate(connection: Connection, path: string, steps: readonly string[] = migrations): void {
  for (const step of steps.slice(stepsApplied(connection, path, steps))) connection.exec(step)
  connection.pragma(`application_id = ${applicationId}`)
  connection.pragma(`user_version = ${firstVersion + steps.length - 1}`)
}

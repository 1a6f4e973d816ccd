/**
 * The schema's history: each entry leads from the version before to the next; the first makes version 1. Entries are
 * never changed, only added. What is newest is told by counters, since clocks may be set back.
 */
export const migrations: readonly string[] = [
  `
CREATE SEQUENCE activity;
CREATE SEQUENCE checkpoint_sequence;
-- As LangGraph's own saver has them, each checkpoint whole; JSON as text keeps what jsonb cannot.
CREATE TABLE checkpoints (
  thread_id text NOT NULL,
  checkpoint_ns text NOT NULL,
  checkpoint_id text NOT NULL,
  parent_checkpoint_id text,
  checkpoint text NOT NULL,
  metadata text NOT NULL,
  sequence bigint NOT NULL DEFAULT nextval('checkpoint_sequence'),
  PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id)
);
CREATE INDEX checkpoints_in_order ON checkpoints (thread_id, sequence);
CREATE TABLE writes (
  thread_id text NOT NULL,
  checkpoint_ns text NOT NULL,
  checkpoint_id text NOT NULL,
  task_id text NOT NULL,
  idx integer NOT NULL,
  channel text NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
);

-- result_hash finds the result of a tool that a message repeats.
CREATE TABLE events (
  run_id text NOT NULL,
  position bigint NOT NULL,
  id text NOT NULL,
  type text NOT NULL,
  timestamp text NOT NULL,
  agent text,
  causation_id text,
  payload text NOT NULL,
  result_hash text,
  CONSTRAINT events_pkey PRIMARY KEY (run_id, position),
  CONSTRAINT events_id UNIQUE (id)
);
CREATE INDEX events_by_result ON events (run_id, result_hash) WHERE result_hash IS NOT NULL;
-- snapshot is the run's status folded from the events up to snapshot_position; ended: that says that it is over.
-- reset_after: its thread was reset after this run.
CREATE TABLE runs (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id text NOT NULL UNIQUE,
  thread_id text NOT NULL,
  turn bigint NOT NULL,
  question text NOT NULL,
  user_id text,
  created_at text NOT NULL,
  snapshot text,
  snapshot_position bigint NOT NULL DEFAULT 0,
  ended boolean NOT NULL DEFAULT false,
  activity bigint NOT NULL DEFAULT nextval('activity'),
  reset_after boolean NOT NULL DEFAULT false
);
CREATE INDEX runs_by_thread ON runs (thread_id, turn);
CREATE INDEX runs_by_activity ON runs (activity);
CREATE INDEX runs_unfinished ON runs (number) WHERE NOT ended;
-- A token is never used again: it tells the writes of the present holder from those of a former one.
CREATE TABLE leases (
  thread_id text PRIMARY KEY,
  token bigint GENERATED ALWAYS AS IDENTITY,
  run_id text NOT NULL,
  owner text NOT NULL,
  system text NOT NULL,
  pid bigint NOT NULL,
  process_start text NOT NULL,
  acquired_at text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX leases_by_run ON leases (run_id);
-- value is JSON.
CREATE TABLE scores (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id text NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
  name text NOT NULL,
  value text NOT NULL,
  comment text,
  user_id text,
  scored_at text NOT NULL,
  delivery text NOT NULL,
  UNIQUE (run_id, name)
);
CREATE INDEX scores_waiting ON scores (number) WHERE delivery = 'waiting';
-- What is stated of threads, those included that have no run yet; metadata is JSON.
CREATE TABLE threads (
  thread_id text PRIMARY KEY,
  title text,
  user_id text,
  metadata text NOT NULL,
  created_at text NOT NULL,
  activity bigint NOT NULL
);

-- title, authors and year are those in force; authors is JSON, and reader what the reader found and how. names are the
-- stems of what names the document, tokens the length of all its passages.
CREATE TABLE documents (
  document_id text PRIMARY KEY,
  title text,
  authors text NOT NULL,
  year bigint,
  source text NOT NULL,
  format text NOT NULL,
  pages bigint NOT NULL DEFAULT 0,
  passages bigint NOT NULL DEFAULT 0,
  tokens bigint NOT NULL DEFAULT 0,
  reader text NOT NULL,
  names text[] NOT NULL DEFAULT '{}'
);
CREATE INDEX documents_by_name ON documents USING gin (names) WITH (fastupdate = off);
CREATE TABLE sources (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  source text NOT NULL UNIQUE,
  document_id text NOT NULL REFERENCES documents ON DELETE CASCADE,
  size bigint NOT NULL,
  modified_ms double precision NOT NULL,
  location text
);
CREATE INDEX sources_by_document ON sources (document_id);
-- What a person states outlives the document, so that it holds again when the same file comes back.
CREATE TABLE overrides (
  document_id text PRIMARY KEY,
  stated text NOT NULL
);
CREATE TABLE pages (
  document_id text NOT NULL REFERENCES documents ON DELETE CASCADE,
  number bigint NOT NULL,
  label text,
  header text,
  places text,
  PRIMARY KEY (document_id, number)
);
-- The text of a page, of a long one in pieces; start_at counts UTF-16 code units.
CREATE TABLE page_pieces (
  document_id text NOT NULL REFERENCES documents ON DELETE CASCADE,
  page bigint NOT NULL,
  start_at bigint NOT NULL,
  text text NOT NULL,
  checksum text NOT NULL,
  PRIMARY KEY (document_id, page, start_at)
);
CREATE TABLE passages (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  passage_id text NOT NULL UNIQUE,
  document_id text NOT NULL REFERENCES documents ON DELETE CASCADE,
  ordinal bigint NOT NULL,
  page bigint NOT NULL,
  section text,
  kind text NOT NULL,
  start_at bigint NOT NULL,
  end_at bigint NOT NULL,
  text text NOT NULL,
  UNIQUE (document_id, ordinal)
);
-- terms holds how often each stem stands in the passage, where one in the title counts twice; tokens is the number of
-- its words. Pages of the web have no row, and are not searched. A search reads a term of thousands of rows: terms stay
-- in their row, and are not compressed. The index is brought up to date by who writes, not by the next who reads.
CREATE TABLE passage_terms (
  passage bigint PRIMARY KEY REFERENCES passages ON DELETE CASCADE,
  document_id text NOT NULL,
  tokens integer NOT NULL,
  terms jsonb NOT NULL
) WITH (toast_tuple_target = 8160);
ALTER TABLE passage_terms ALTER COLUMN terms SET STORAGE EXTERNAL;
CREATE INDEX passage_terms_by_term ON passage_terms USING gin (terms) WITH (fastupdate = off);
CREATE INDEX passage_terms_by_document ON passage_terms (document_id);

-- Vectors are comparable within a space: what one model gives, in one dimension, for texts with one prefix; asked is
-- the dimension that was asked for. Components are 32-bit floats, least significant byte first.
CREATE TABLE vector_spaces (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  model text NOT NULL,
  asked bigint,
  prefix text NOT NULL,
  dimensions bigint NOT NULL
);
CREATE TABLE vectors (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  space bigint NOT NULL REFERENCES vector_spaces ON DELETE CASCADE,
  text_hash text NOT NULL,
  components bytea NOT NULL,
  UNIQUE (space, text_hash)
);
CREATE TABLE passage_vectors (
  passage bigint NOT NULL REFERENCES passages ON DELETE CASCADE,
  space bigint NOT NULL,
  vector bigint NOT NULL REFERENCES vectors ON DELETE CASCADE,
  PRIMARY KEY (passage, space)
);
CREATE INDEX passage_vectors_by_vector ON passage_vectors (vector);
-- Raised by each transaction that changes documents or vectors.
CREATE TABLE library_version (version bigint NOT NULL);
INSERT INTO library_version VALUES (0);
`,
  `
-- begun: the run has had its thread. queue_place: it waits for a worker, or one works on it; users take turns in the order
-- of places, runs of one thread in the order of their turns. queued_at, claimed_at: since when it waits, and when a worker
-- last took it. queue_choices is JSON, for its next attempt.
ALTER TABLE runs ADD COLUMN begun boolean NOT NULL DEFAULT true, ADD COLUMN queue_place bigint,
  ADD COLUMN queued_at timestamptz, ADD COLUMN claimed_at timestamptz, ADD COLUMN queue_choices text;
CREATE INDEX runs_in_queue ON runs (queue_place) WHERE queue_place IS NOT NULL;
CREATE INDEX runs_of_thread_in_queue ON runs (thread_id, turn) WHERE queue_place IS NOT NULL;
CREATE INDEX runs_of_user_in_queue ON runs (coalesce(user_id, ''), queue_place) WHERE queue_place IS NOT NULL;
CREATE INDEX runs_by_claim ON runs (claimed_at) WHERE claimed_at IS NOT NULL;
-- job: with which the lease was taken; null where no queue had a part in it. renewed_at: the heartbeat of its worker.
ALTER TABLE leases ADD COLUMN job text, ADD COLUMN renewed_at timestamptz NOT NULL DEFAULT clock_timestamp();
CREATE INDEX leases_of_jobs ON leases (owner) WHERE job IS NOT NULL;
CREATE TABLE queue (paused boolean NOT NULL);
INSERT INTO queue VALUES (false);
`,
  `
-- Files on their way into the library. queue_place: as with runs, until the file has ended; then bytes is null, and outcome
-- tells what became of it, as JSON. owner: the worker that reads it, with its heartbeat; attempts: how often it was taken.
CREATE TABLE queued_files (
  file_id text PRIMARY KEY,
  source text NOT NULL,
  location text,
  modified_ms double precision NOT NULL,
  bytes bytea,
  user_id text,
  queue_place bigint,
  queued_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  owner text,
  renewed_at timestamptz,
  attempts bigint NOT NULL DEFAULT 0,
  pages bigint NOT NULL DEFAULT 0,
  passages bigint NOT NULL DEFAULT 0,
  outcome text,
  ended_at timestamptz
);
-- They are read a piece at a time, which compressed ones could not be.
ALTER TABLE queued_files ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE UNIQUE INDEX queued_files_by_source ON queued_files (source) WHERE queue_place IS NOT NULL;
CREATE INDEX queued_files_in_order ON queued_files (queue_place, queued_at) WHERE queue_place IS NOT NULL;
CREATE INDEX queued_files_ended ON queued_files (ended_at) WHERE ended_at IS NOT NULL;
`,
  `
-- The tables that begin in the text beside it, as JSON (PageTable of library/port/document.ts); null without one, and where
-- the text was stored before tables were kept.
ALTER TABLE page_pieces ADD COLUMN tables text;
`,
  `
-- What of a page stands in no passage, as JSON: reason, text, start; null where it was stored before this was kept.
ALTER TABLE pages ADD COLUMN left_out text;
`,
  `
-- Where the sections of a passage of several begin, as JSON: start, section; null for one, and where it was stored before.
ALTER TABLE passages ADD COLUMN sections text;
`,
  `
-- Of a file in the queue: the most pages that a worker has stored; since when, and since which attempt, none got further; how
-- often a worker failed and lived.
ALTER TABLE queued_files
  ADD COLUMN most_pages bigint NOT NULL DEFAULT 0,
  ADD COLUMN stuck_since timestamptz,
  ADD COLUMN stuck_after bigint NOT NULL DEFAULT 0,
  ADD COLUMN failures bigint NOT NULL DEFAULT 0;
`,
  `
-- A long payload, as raw deflate of JSON; then payload is empty. What an earlier event of the run says too stands there only.
ALTER TABLE events ADD COLUMN packed bytea;
ALTER TABLE events ALTER COLUMN packed SET STORAGE EXTERNAL;
`,
  `
-- How sure the program is that recognised a page's text in a picture, 0 to 1; null where there was none or it did not say.
ALTER TABLE pages ADD COLUMN confidence double precision;
`,
  `
-- tags in force, as JSON; added_at: null where it was stored before this was kept.
ALTER TABLE documents ADD COLUMN tags text NOT NULL DEFAULT '[]', ADD COLUMN added_at text;
`,
]

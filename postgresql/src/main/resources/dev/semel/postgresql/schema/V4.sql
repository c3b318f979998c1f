-- Semel on PostgreSQL, schema version 4: workflows. A task that is none, and that none waits for, writes nothing of this.

-- Whether a workflow waits for the end of a task: then its end looks for watches. Set by the transaction that watches, which has
-- locked the row; NULL otherwise, so that a row is as large as before. A watched task never shares a lease.
ALTER TABLE semel.ready ADD COLUMN watched boolean;
ALTER TABLE semel.running ADD COLUMN watched boolean;
ALTER TABLE semel.waiting ADD COLUMN watched boolean;

-- The counters of a workflow. A wait is decided on this row, and every entry of the inbox changes it, so both lock it.
CREATE TABLE semel.flow (
  task uuid PRIMARY KEY,
  lines integer NOT NULL,              -- how many lines its history has
  inbox integer NOT NULL,              -- how many entries its inbox has
  urgent integer NOT NULL,             -- the number of the newest urgent entry; 0 if there is none
  wake_after integer NOT NULL,         -- the number of the entry at which it is woken; 0 if it does not wait
  waited integer NOT NULL,             -- the newest attempt that ended with a wait
  bytes bigint NOT NULL                -- the size of all documents
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);

-- What the code of a workflow did, in order. Rows are appended.
CREATE TABLE semel.history (
  task uuid NOT NULL,
  number integer NOT NULL,             -- from 1, without gaps
  at bigint NOT NULL,
  step uuid,                           -- the task of a step
  kind text COLLATE "C" NOT NULL,
  name text NOT NULL,
  document text,
  PRIMARY KEY (task, number)
);

-- What happened to a workflow, in the order of acceptance: the ends of its steps, and signals. Rows are appended.
CREATE TABLE semel.inbox (
  task uuid NOT NULL,
  number integer NOT NULL,             -- from 1, without gaps
  at bigint NOT NULL,
  step uuid,                           -- the step that has ended; NULL for a signal
  state text COLLATE "C",              -- how the step ended
  name text NOT NULL,
  key text COLLATE "C",                -- the key of the signal; NULL for a step
  error text,
  document text,
  PRIMARY KEY (task, number)
);

-- A signal is accepted once for each key.
CREATE UNIQUE INDEX inbox_key ON semel.inbox (task, key) WHERE key IS NOT NULL;

-- The workflows that wait for the end of a task.
CREATE TABLE semel.watch (
  step uuid NOT NULL,
  workflow uuid NOT NULL,
  created boolean NOT NULL,            -- whether the workflow created the step, and may cancel it
  PRIMARY KEY (step, workflow)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);

-- Finds what a workflow that is deleted still watches.
CREATE INDEX watch_workflow ON semel.watch (workflow);

-- Semel on SQLite, schema version 4: workflows. A task that is none has no row in any of these tables.

-- The counters of a workflow. A wait is decided on them, and every entry of the inbox changes them, in one transaction at a time.
CREATE TABLE semel_flow (
  task BLOB PRIMARY KEY,               -- the id of the workflow's task
  lines INTEGER NOT NULL,              -- how many lines its history has
  inbox INTEGER NOT NULL,              -- how many entries its inbox has
  urgent INTEGER NOT NULL,             -- the number of the newest urgent entry; 0 if there is none
  wake_after INTEGER NOT NULL,         -- the number of the entry at which it is woken; 0 if it does not wait
  waited INTEGER NOT NULL,             -- the newest attempt that ended with a wait
  bytes INTEGER NOT NULL               -- the size of all documents
) STRICT, WITHOUT ROWID;

-- What the code of a workflow did, in order. Lines of one workflow lie together; workflows begin with their time.
CREATE TABLE semel_history (
  task BLOB NOT NULL,
  number INTEGER NOT NULL,             -- from 1, without gaps
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  step BLOB,                           -- the task of a step
  at INTEGER NOT NULL,
  document TEXT,
  PRIMARY KEY (task, number)
) STRICT, WITHOUT ROWID;

-- What happened to a workflow, in the order of acceptance: the ends of its steps, and signals.
CREATE TABLE semel_inbox (
  task BLOB NOT NULL,
  number INTEGER NOT NULL,             -- from 1, without gaps
  name TEXT NOT NULL,
  step BLOB,                           -- the step that has ended; NULL for a signal
  state TEXT,                          -- how the step ended
  key TEXT,                            -- the key of the signal; NULL for a step
  at INTEGER NOT NULL,
  error TEXT,
  document TEXT,
  PRIMARY KEY (task, number)
) STRICT, WITHOUT ROWID;

-- A signal is accepted once for each key.
CREATE UNIQUE INDEX semel_inbox_key ON semel_inbox (task, key) WHERE key IS NOT NULL;

-- The workflows that wait for the end of a task. Looked up by every end of a task: where it is empty, that costs nothing.
CREATE TABLE semel_watch (
  step BLOB NOT NULL,
  workflow BLOB NOT NULL,
  created INTEGER NOT NULL,            -- whether the workflow created the step, and may cancel it
  PRIMARY KEY (step, workflow)
) STRICT, WITHOUT ROWID;

-- Finds what a workflow that is deleted still watches.
CREATE INDEX semel_watch_workflow ON semel_watch (workflow);

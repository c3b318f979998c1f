-- Semel on SQLite, schema version 1. All times are milliseconds since 1970 (UTC). docs/reference/schema.md explains more.

-- A lane is one task type of one tenant in one queue. Tasks carry its number instead of three names, so that rows and
-- indexes are narrow, and a claim never meets tasks of types that no worker handles. Lanes are never removed.
CREATE TABLE semel_lane (
  id INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  queue TEXT NOT NULL,
  type TEXT NOT NULL,
  -- No task of this lane is due before this time; NULL if none is known. A transaction that makes a task of the lane
  -- claimable lowers it, a claim that finds the lane empty raises it.
  wake_at INTEGER,
  -- Whether a task of this lane ever had a mutex: only then does a claim look up who holds it.
  mutexes INTEGER NOT NULL DEFAULT 0,
  UNIQUE (queue, tenant, type)
) STRICT;

-- A claim looks only at the lanes of its queues that may have something due, those that waited longest first: ten thousand
-- idle lanes cost it nothing.
CREATE INDEX semel_lane_wake ON semel_lane (queue, wake_at) WHERE wake_at IS NOT NULL;

-- The name space of keys: one tenant and one scope. Records and tasks carry its number.
CREATE TABLE semel_scope (
  id INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  UNIQUE (tenant, kind, name)
) STRICT;

-- A task and its newest attempt. Documents are last, so that a search for tasks does not read past them.
CREATE TABLE semel_task (
  seq INTEGER PRIMARY KEY,             -- rises in order of creation
  id BLOB NOT NULL UNIQUE,             -- 16 bytes; the unique index also serves listings, which are in order of ids
  lane INTEGER NOT NULL,
  state TEXT NOT NULL,
  priority INTEGER NOT NULL DEFAULT 0,
  order_at INTEGER,                    -- due_at less a minute for each step of priority; NULL unless pending or running
  due_at INTEGER,                      -- start, retry or end of the lease; NULL once it has ended
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  attempt INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0,
  vanished INTEGER NOT NULL DEFAULT 0,
  cancel_requested INTEGER NOT NULL DEFAULT 0,
  run INTEGER NOT NULL DEFAULT 1,
  claim INTEGER,                       -- the number of the claim that began the newest attempt
  worker TEXT,                         -- of the newest attempt; NULL if that is in semel_attempt or there was none
  started_at INTEGER,
  outcome TEXT,
  lineage BLOB,                        -- the first task that this one continues; NULL if it continues none
  after_id BLOB,                       -- waits until this task has ended; empty while it is parked, waiting for a person
  retry TEXT,                          -- options that differ from the type's
  timeout INTEGER,
  mutex TEXT,                          -- tenant, type and mutex, separated by U+001F
  scope INTEGER,                       -- with key: the identity; NULL without a key
  key TEXT,
  ttl INTEGER,                         -- the window, for a redrive that takes the key back
  former_hash BLOB,                    -- the input hash, once the key has a newer holder or none; NULL while it is held
  last_error TEXT,
  result TEXT,
  input TEXT                           -- NULL once the data was deleted with the end of the task (retention 0)
) STRICT;

-- What a claim takes first to last: pending tasks of a lane, and nothing else. It holds all that the claim asks for (seq
-- settles ties, priority gives the due time back), so tasks that rank high but are due only later cost no look at their row.
CREATE INDEX semel_task_ready ON semel_task (lane, order_at, seq, priority)
  WHERE state = 'pending' AND vanished = 0;

-- The same for tasks with a vanished attempt and for running ones, which become that when their lease has expired. They are
-- separate because a claim takes few of them: a thousand of them must not delay the others.
CREATE INDEX semel_task_suspect ON semel_task (lane, order_at, seq, priority)
  WHERE state = 'running' OR (state = 'pending' AND vanished > 0);

-- Finds tasks that were asked to cancel and whose worker did not answer before the lease expired. Almost always empty.
CREATE INDEX semel_task_asked ON semel_task (lane, due_at) WHERE state = 'running' AND cancel_requested = 1;

-- Finds the tasks that wait for a task that has ended, and those that are parked. Almost always empty.
CREATE INDEX semel_task_after ON semel_task (after_id) WHERE after_id IS NOT NULL;

-- Finds the task that holds a mutex and those that wait for it, which are waiting with no after_id. Almost always empty.
CREATE INDEX semel_task_mutex ON semel_task (mutex, state, due_at)
  WHERE mutex IS NOT NULL AND state IN ('running', 'waiting');

-- Finds the earlier runs of an identity. The newest is found by its record, so a task enters here only when it loses its key.
CREATE INDEX semel_task_former ON semel_task (scope, key) WHERE former_hash IS NOT NULL;

-- Lists dead letters without reading completed tasks.
CREATE INDEX semel_task_dead ON semel_task (id) WHERE state IN ('failed', 'timed_out');

-- Attempts that ended without finishing their task. The newest one is in the row of the task, so the common life of a
-- task, one attempt that succeeds, writes nothing here.
CREATE TABLE semel_attempt (
  task INTEGER NOT NULL,               -- semel_task.seq
  number INTEGER NOT NULL,
  worker TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  redriven INTEGER NOT NULL DEFAULT 0, -- 1 if the task died with this attempt and was redriven
  error TEXT,
  PRIMARY KEY (task, number)
) STRICT, WITHOUT ROWID;

-- The idempotency record: the task that holds an identity. In order of scope and key and not of a hash, because keys that are made
-- together are mostly alike and then lie on the same page; a hash spreads every batch over the whole table. The whole key
-- is compared. No index by expires_at: a sweep walks the table, once in an hour, and submissions pay nothing for it.
CREATE TABLE semel_record (
  scope INTEGER NOT NULL,
  key TEXT NOT NULL,
  task_id BLOB NOT NULL,
  lane INTEGER NOT NULL,
  input_hash BLOB NOT NULL,
  run INTEGER NOT NULL,
  lineage BLOB,                        -- NULL if the task continues none
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  state TEXT,                          -- how the task ended, once its data was deleted
  finished_at INTEGER,
  duplicates INTEGER NOT NULL DEFAULT 0,
  last_duplicate_at INTEGER,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;

-- What handlers did: an effect of a lineage, which is all attempts, redrives and reruns of a task. Without rows of its own
-- beside the primary key, because an effect is found by that alone, and those of a lineage lie together; lineages begin with
-- their time, so new ones go to the end. A large result lies on pages of its own.
CREATE TABLE semel_effect (
  lineage BLOB NOT NULL,               -- the id of the lineage's first task
  name TEXT NOT NULL,
  "index" INTEGER NOT NULL,
  task BLOB NOT NULL,                  -- with attempt: the last one that recorded it. An effect that is only intended is in
  attempt INTEGER NOT NULL,            -- progress while that attempt runs, and unknown from then on
  known TEXT NOT NULL,                 -- 'intended', 'done' or 'not_done'
  intended_at INTEGER NOT NULL,
  window_end INTEGER,                  -- until when the provider knows the token; NULL if that is not known
  settled_at INTEGER,
  how TEXT,                            -- how the outcome is known
  verdict TEXT,                        -- the last resolution: verdict, by whom, and why
  resolved_by TEXT,
  reason TEXT,
  note TEXT,                           -- why nothing happened, or why the task was parked
  result TEXT,
  PRIMARY KEY (lineage, name, "index")
) STRICT, WITHOUT ROWID;

-- Lists what is in progress or unknown. Of what is done, which is nearly everything, nothing is in here.
CREATE INDEX semel_effect_intended ON semel_effect (lineage, name, "index") WHERE known = 'intended';

-- The settings of queues, in two layers: what code and configuration say, and what was set at run time and wins. A setting
-- that is NULL is not set. Queues without settings have no rows here.
CREATE TABLE semel_queue (
  name TEXT NOT NULL,
  layer TEXT NOT NULL,                 -- 'declared' or 'set'
  stamp INTEGER NOT NULL,              -- rises with every change of any queue, so that unchanged settings are not read again
  paused INTEGER,
  rate_limit TEXT,
  concurrency INTEGER,
  retention INTEGER,
  idempotency_ttl INTEGER,
  reuse TEXT,
  dead_letter_queue TEXT,
  PRIMARY KEY (name, layer)
) STRICT, WITHOUT ROWID;

CREATE INDEX semel_queue_stamp ON semel_queue (stamp);

-- Of queues with a rate limit: the nanosecond at which everything that has started would have been due, spread evenly.
CREATE TABLE semel_mark (
  queue TEXT PRIMARY KEY,
  mark INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Semel on PostgreSQL, schema version 1. All times are milliseconds since 1970 (UTC), by the clock of the database.
-- docs/adr/0030-postgresql-layout.md says why it is cut this way; docs/reference/schema.md explains more.

-- A lane is one task type of one tenant in one queue. Tasks carry its number instead of three names, so that rows and
-- indexes are narrow, and a claim never meets tasks of types that nobody handles. Lanes are never removed.
CREATE TABLE semel.lane (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  queue text COLLATE "C" NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  UNIQUE (queue, tenant, type)
);

-- The name space of keys: one tenant and one scope. Records and tasks carry its number.
CREATE TABLE semel.scope (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  UNIQUE (tenant, kind, name)
);

-- The order of creation. Without a cache: sessions with a stock of numbers would mix up the order.
CREATE SEQUENCE semel.task_seq;

-- What was submitted: written once, never changed, except that the input goes with the end where a queue keeps nothing.
-- Where the task stands is said by the one of ready, running, waiting and done that has a row of it; if none has, it runs
-- under a lease that it shares.
CREATE TABLE semel.task (
  id uuid PRIMARY KEY,                 -- begins with the time, so new entries lie side by side; listings are in its order
  seq bigint NOT NULL,
  created_at bigint NOT NULL,
  start_at bigint,                     -- when it was to start; NULL if at once
  ttl bigint,                          -- the window, for the day when a redrive takes the key back
  timeout bigint,
  lane integer NOT NULL,
  run integer NOT NULL,
  scope integer,                       -- with key: the identity; NULL without a key
  priority smallint NOT NULL,
  lineage uuid,                        -- the first task that this one continues; NULL if it continues none
  input_hash bytea,                    -- with key: what a duplicate is compared with
  key text COLLATE "C",
  retry text,                          -- options that differ from the type's
  mutex text,
  input text                           -- NULL once the data has gone with the end of the task (retention 0)
);

-- Pending tasks. Rows are inserted and deleted, never updated: a claim deletes what it takes.
CREATE TABLE semel.ready (
  task uuid NOT NULL,
  seq bigint NOT NULL,
  order_at bigint NOT NULL,            -- due time less a minute for each step of priority: the order of claims
  lane integer NOT NULL,
  attempt integer NOT NULL,
  failures integer NOT NULL,
  vanished integer NOT NULL,
  priority smallint NOT NULL,
  suspect boolean NOT NULL,            -- whether it has a vanished attempt
  mutex text COLLATE "C"               -- tenant, type and mutex, separated by U+001F
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000);

-- What a claim takes, first to last. Suspects lie apart because a claim takes few of them: a thousand of them must not
-- stand in the way of the others.
CREATE INDEX ready_order ON semel.ready (lane, suspect, order_at, seq);

-- Finds a task that was claimed before. One that never was lies where it was put, so that the order above finds it: its row
-- in the table task says lane, time and seq. The common life of a task writes nothing here.
CREATE INDEX ready_again ON semel.ready (task) WHERE attempt > 0;

-- Running tasks with their lease. A completion deletes the row. A heartbeat updates it: that writes its index entries anew,
-- but only for tasks that run longer than a third of their lease.
CREATE TABLE semel.running (
  task uuid PRIMARY KEY,
  seq bigint NOT NULL,
  order_at bigint NOT NULL,            -- the end of the lease less a minute for each step of priority
  started_at bigint NOT NULL,
  claim bigint NOT NULL,               -- the number of the claim that began the attempt
  lane integer NOT NULL,
  attempt integer NOT NULL,
  failures integer NOT NULL,
  vanished integer NOT NULL,
  priority smallint NOT NULL,
  asked boolean NOT NULL,              -- whether somebody wants it to be cancelled
  worker text NOT NULL,
  mutex text COLLATE "C"
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000);

-- Finds leases that have run out, in the order of claims, and when the next one does.
CREATE INDEX running_order ON semel.running (lane, order_at, seq);

-- Finds tasks that were asked to cancel and whose worker gave no word until the lease ran out. Almost always empty.
CREATE INDEX running_asked ON semel.running (lane) WHERE asked;

-- Finds the task that holds a mutex. Empty where there are none.
CREATE INDEX running_mutex ON semel.running (mutex) WHERE mutex IS NOT NULL;

-- The lease of running tasks that were claimed together: of the first attempts of tasks without a mutex, if a claim takes
-- some of one lane. One row instead of one for each task, as long as nothing happens to them but that they complete and are
-- extended together; whatever else happens to one takes it out, into the table running. Without them the life of a task
-- would cost half as much log again.
CREATE TABLE semel.lease (
  lane integer NOT NULL,
  open integer NOT NULL,               -- how many of its tasks are still in it
  first_seq bigint NOT NULL,           -- the least and the greatest seq of its tasks: so a task finds its lease
  last_seq bigint NOT NULL,
  started_at bigint NOT NULL,
  until bigint NOT NULL,               -- the end of the lease
  claim bigint NOT NULL,
  worker text NOT NULL,
  ended bytea NOT NULL,                -- one bit for each task, by get_bit: 1 once it has ended or was taken out
  tasks uuid[] NOT NULL,               -- in order of seq
  PRIMARY KEY (lane, last_seq)
);

-- Written once and read seldom; most of it is random and cannot be compressed.
ALTER TABLE semel.lease ALTER COLUMN tasks SET STORAGE EXTERNAL;

-- Finds leases that have run out.
CREATE INDEX lease_until ON semel.lease (until);

-- Waiting tasks: for the end of a replaced one that still runs, for their mutex, or, parked, for a person's word about an
-- effect: those have neither after nor mutex.
CREATE TABLE semel.waiting (
  task uuid PRIMARY KEY,
  seq bigint NOT NULL,
  order_at bigint NOT NULL,
  lane integer NOT NULL,
  attempt integer NOT NULL,
  failures integer NOT NULL,
  vanished integer NOT NULL,
  priority smallint NOT NULL,
  after uuid,                          -- waits until this task has ended; NULL if it waits for something else
  mutex text COLLATE "C"
);

CREATE INDEX waiting_after ON semel.waiting (after) WHERE after IS NOT NULL;

-- Who waits for a mutex, in order of due times.
CREATE INDEX waiting_mutex ON semel.waiting (mutex, (order_at + priority * 60000::bigint), seq)
  WHERE mutex IS NOT NULL AND after IS NULL;

-- Tasks that have ended, with the attempt that ended them. Rows are appended; only a redrive and a sweep delete.
CREATE TABLE semel.done (
  task uuid PRIMARY KEY,
  finished_at bigint NOT NULL,
  started_at bigint,                   -- of the attempt that ended it; NULL if it ended between attempts
  lane integer NOT NULL,
  attempt integer NOT NULL,
  failures integer,                    -- NULL for none
  vanished integer,                    -- NULL for none
  asked boolean,                       -- whether somebody wanted it to be cancelled; NULL if not
  bare boolean,                        -- whether its data went with its end; NULL if not
  state text COLLATE "C" NOT NULL,
  outcome text COLLATE "C",            -- of that attempt; NULL if it is the same word as the state, or there was none
  worker text,
  error text,
  result text
);

-- Lists and counts dead letters without looking at all that went well.
CREATE INDEX done_dead ON semel.done (task) WHERE state IN ('failed', 'timed_out');

-- Finds what a sweep may remove. Rows are appended in order of time, so a summary for each range of pages is enough and
-- costs a completion nothing.
CREATE INDEX done_finished ON semel.done USING brin (finished_at) WITH (autosummarize = on);

-- Attempts that ended without finishing their task. The common life of a task, one attempt that succeeds, writes nothing
-- here.
CREATE TABLE semel.attempt (
  task uuid NOT NULL,
  number integer NOT NULL,
  started_at bigint NOT NULL,
  ended_at bigint NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  worker text NOT NULL,
  error text,
  given_up text,                       -- of one that parked: how its task was given up then, once it was redriven
  PRIMARY KEY (task, number)
);

-- The idempotency record: who holds an identity. In order of scope and key and not of a hash, because keys that are made
-- together are mostly alike and then lie on the same page. The whole key is compared. Not written when a task ends. What the
-- task's own row says is not said here, until the task is removed: then the record is a tombstone.
CREATE TABLE semel.record (
  task uuid NOT NULL,
  expires_at bigint NOT NULL,
  scope integer NOT NULL,
  key text COLLATE "C" NOT NULL,
  duplicates bigint,                   -- NULL for none
  last_duplicate_at bigint,
  state text COLLATE "C",              -- of a tombstone, as all that follows: how the task ended
  finished_at bigint,
  created_at bigint,
  lane integer,
  run integer,
  lineage uuid,                        -- NULL if the task continued none
  input_hash bytea,
  PRIMARY KEY (scope, key)
) WITH (fillfactor = 90);

-- Finds what a sweep may remove, as above.
CREATE INDEX record_expires ON semel.record USING brin (expires_at) WITH (autosummarize = on);

-- Tasks that had a key and lost it to a newer one, or whose key is gone. A task enters here only then.
CREATE TABLE semel.former (
  scope integer NOT NULL,
  key text COLLATE "C" NOT NULL,
  task uuid NOT NULL,
  PRIMARY KEY (scope, key, task)
);

-- Effects of handlers, by lineage: what was intended, and how it came out. An intent inserts a row, its outcome updates it.
-- Whether an intent is in progress or unknown is not said here: that is whether its attempt still runs.
CREATE TABLE semel.effect (
  lineage uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  ordinal integer NOT NULL,
  task uuid NOT NULL,                  -- with attempt: who dealt with it last
  attempt integer NOT NULL,
  known text COLLATE "C" NOT NULL,     -- 'intended', 'done' or 'not_done'
  intended_at bigint NOT NULL,
  window_end bigint,                   -- until when the provider knows the token; NULL if nobody said
  settled_at bigint,
  how text COLLATE "C",                -- how the outcome is known: 'ran', 'probed', 'assumed' or 'resolved'
  result text,
  note text,                           -- why nothing happened, or why the task was parked
  verdict text COLLATE "C",            -- what a person said last: 'done', 'not_done' or 'give_up'
  resolved_by text,
  reason text,
  PRIMARY KEY (lineage, name, ordinal)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);

-- Lists what is unknown without looking at all that is done.
CREATE INDEX effect_intended ON semel.effect (lineage, name, ordinal) WHERE known = 'intended';

-- Tells whether a lineage has other tasks than its first one. Most tasks continue none.
CREATE INDEX task_lineage ON semel.task (lineage) WHERE lineage IS NOT NULL;

-- Tells whether a tombstone can make another task of a lineage: one of a task that did not complete.
CREATE INDEX record_lineage ON semel.record ((coalesce(lineage, task))) WHERE state IS NOT NULL AND state <> 'completed';

-- The settings of queues, in two layers: what code and configuration say, and what was set at run time and wins. A setting
-- that is NULL says nothing. Queues of which nothing was said have no rows here.
CREATE TABLE semel.queue (
  name text COLLATE "C" NOT NULL,
  layer text COLLATE "C" NOT NULL,     -- 'declared' or 'set'
  paused boolean,
  rate_limit text,
  concurrency integer,
  retention bigint,
  idempotency_ttl bigint,
  reuse text,
  dead_letter_queue text,
  PRIMARY KEY (name, layer)
);

-- One row whose stamp rises with every change of any queue: each operation looks at it, and reads settings only if it
-- changed. It is also the lock under which queues are changed, one at a time.
CREATE TABLE semel.change (
  stamp bigint NOT NULL
);

INSERT INTO semel.change VALUES (0);

-- Of queues with settings: the nanosecond at which everything that has started would have been due, spread evenly. A claim
-- from a queue with a rate limit or a concurrency locks its row; other queues are never locked.
CREATE TABLE semel.mark (
  queue text COLLATE "C" PRIMARY KEY,
  mark bigint NOT NULL
);

-- Semel on PostgreSQL, schema version 6: time limits and tags of tasks.
-- No earlier program can work on it: it could not read the options of a task with a time limit or tags.

-- When a store has to look at a task with a time limit. A task without one has no row here. A row stays when its task ends, until its time: then
-- nothing happens.
CREATE TABLE semel.time_limit (
  task uuid PRIMARY KEY,
  at bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);

-- Finds what has passed, for sweeps. No claim reads it: while an old transaction is open, the entries of limits that have passed cannot be removed, and all
-- of them lie at its beginning. The expression keeps the server from taking it where a task is looked up, whatever its statistics say.
CREATE INDEX time_limit_at ON semel.time_limit (at, (uuid_send(task)));

-- Whether the lane has had a task with a time limit: then claims look up, by the task, whether a limit has passed. It is set before the first such task is
-- visible, and never reset.
ALTER TABLE semel.lane ADD COLUMN limited boolean NOT NULL DEFAULT false;

-- What the error of a running task says that was asked to cancel because its time limit has passed, and ends as timed out therefore. NULL otherwise,
-- so that the row of a task is as large as before.
ALTER TABLE semel.running ADD COLUMN overdue text;

-- The tags of tasks, for lists by tag, newest first. A task without tags has no row here; its tags are also among its options.
CREATE TABLE semel.tag (
  tag text COLLATE "C" NOT NULL,
  task uuid NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  PRIMARY KEY (tag, task)
);

-- Lists the tasks of one tenant: it neither reads those of other tenants nor takes longer because of them. The expressions keep the server from taking the
-- primary key for it, and it for the primary key, whatever its statistics say.
CREATE INDEX tag_tenant ON semel.tag ((tenant || chr(31) || tag), (uuid_send(task)));

-- Semel on SQLite, schema version 6: time limits and tags of tasks.
-- No earlier program can work on it: it could not read the options of a task with a time limit or tags.

-- When a store has to look at a task with a time limit. A task without one has no row here. A row stays when its task ends, until its time: then
-- nothing happens.
CREATE TABLE semel_time_limit (
  task BLOB PRIMARY KEY,               -- the id of the task
  lane INTEGER NOT NULL,
  at INTEGER,                          -- NULL once the running task was asked to cancel because its time limit has passed
  error TEXT                           -- what its error says in that case
) STRICT, WITHOUT ROWID;

-- Finds what has passed in any lane, for sweeps.
CREATE INDEX semel_time_limit_at ON semel_time_limit (at, task) WHERE at IS NOT NULL;

-- Finds what has passed in one lane, for claims: by time alone, each claim would read through the limits of all other lanes.
CREATE INDEX semel_time_limit_lane ON semel_time_limit (lane, at, task) WHERE at IS NOT NULL;

-- The tags of tasks, for lists by tag, newest first. A task without tags has no row here; its tags are also among its options.
CREATE TABLE semel_tag (
  tag TEXT NOT NULL,
  task BLOB NOT NULL,                  -- the id of the task
  tenant TEXT NOT NULL,
  PRIMARY KEY (tag, task)
) STRICT, WITHOUT ROWID;

-- Lists the tasks of one tenant: it neither reads those of other tenants nor takes longer because of them.
CREATE INDEX semel_tag_tenant ON semel_tag (tenant, tag, task);

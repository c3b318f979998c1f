-- Semel on SQLite, schema version 3: schedules, and effects by tenant, also those whose task is no longer stored.

-- Finds a task of a lineage, which knows its tenant. Most tasks continue none and are not in here.
CREATE INDEX semel_task_lineage ON semel_task (lineage) WHERE lineage IS NOT NULL;

-- Finds the tombstone that can make another task of a lineage: one of a task that did not complete.
CREATE INDEX semel_record_lineage ON semel_record (coalesce(lineage, task_id))
  WHERE state IS NOT NULL AND state <> 'completed';

-- A schedule: when its next tick is due, and its definition and state as one JSON document that a person can read. Every change
-- writes the whole row and names the version that it replaces.
CREATE TABLE semel_schedule (
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  version BLOB NOT NULL,               -- 16 bytes, chosen by the sender of the change
  next_at INTEGER,                     -- NULL if it does not tick
  document TEXT NOT NULL,
  PRIMARY KEY (tenant, name)
) STRICT, WITHOUT ROWID;

-- Finds what is due. Ten thousand schedules cost a look nothing until one of them is due.
CREATE INDEX semel_schedule_due ON semel_schedule (next_at, tenant, name) WHERE next_at IS NOT NULL;

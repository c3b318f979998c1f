-- Semel on SQLite, schema version 2: the database itself refuses a second task under one key.

-- The tasks of an identity since its key was last free, named by the first of them; NULL in that first one, whose id says it.
ALTER TABLE semel_task ADD COLUMN series BLOB;

-- The series that the next run of the identity belongs to; NULL if that is named by the task.
ALTER TABLE semel_record ADD COLUMN series BLOB;

-- Two submissions that both took over the same holder would make the same run twice. First runs are not in here, so that the
-- common life of a task writes nothing.
CREATE UNIQUE INDEX semel_task_series ON semel_task (series, run) WHERE series IS NOT NULL;

-- Of one identity at most one task is pending or running. A record may name another task, or be deleted, only when the task that it
-- names has ended and no replaced task of the identity still runs; a new task that waits for that one may take it before.
-- An insert needs no check: a record is deleted only when nothing is open.
CREATE TRIGGER semel_record_changes_owner BEFORE UPDATE OF task_id ON semel_record
WHEN OLD.task_id <> NEW.task_id
  AND (
    EXISTS (SELECT 1 FROM semel_task t WHERE t.id = OLD.task_id AND t.state IN ('pending', 'running', 'waiting'))
    OR EXISTS (
      SELECT 1 FROM semel_task f WHERE f.former_hash IS NOT NULL AND f.scope = OLD.scope AND f.key = OLD.key
        AND f.state = 'running'))
  AND NOT EXISTS (
    SELECT 1 FROM semel_task w WHERE w.id = NEW.task_id AND w.state = 'waiting' AND w.after_id IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'semel: a key cannot change hands while a task of its identity is open');
END;

CREATE TRIGGER semel_record_goes BEFORE DELETE ON semel_record
WHEN EXISTS (SELECT 1 FROM semel_task t WHERE t.id = OLD.task_id AND t.state IN ('pending', 'running', 'waiting'))
  OR EXISTS (
    SELECT 1 FROM semel_task f WHERE f.former_hash IS NOT NULL AND f.scope = OLD.scope AND f.key = OLD.key
      AND f.state = 'running')
BEGIN
  SELECT RAISE(ABORT, 'semel: a key cannot be freed while a task of its identity is open');
END;

-- Semel on PostgreSQL, schema version 2: the database itself refuses a second task under one key.

-- The tasks of an identity since its key was last free, named by the first of them; NULL in that first one, whose id says it.
ALTER TABLE semel.task ADD COLUMN series uuid;

-- Of a tombstone: the series of its task. Of a record whose task was redriven and took the key back: the series that begins
-- with its next run. NULL where the task says it.
ALTER TABLE semel.record ADD COLUMN series uuid;

-- Two submissions that both took over the same holder would make the same run twice. First runs are not in here, so that the
-- common life of a task writes nothing.
CREATE UNIQUE INDEX task_series ON semel.task (series, run) WHERE series IS NOT NULL;

-- Of one identity at most one task is pending or running. A record may name another task, or go, only when the task that it
-- names has ended and no replaced task of the identity still runs; a new task that waits for that one may take it before.
-- Whoever changes a record has locked it, and a task that has ended is opened again (redrive) only under the same lock, so
-- what is read here cannot change before the commit. An insert needs no check: a record goes only when nothing is open.
CREATE FUNCTION semel.keep_one_open_task() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF (OLD.state IS NOT NULL OR (SELECT 1 FROM semel.done d WHERE d.task = OLD.task LIMIT 1) IS NOT NULL)
    AND (
      SELECT 1 FROM semel.former f
      CROSS JOIN LATERAL (SELECT 1 FROM semel.running x WHERE x.task = f.task LIMIT 1) g
      WHERE f.scope = OLD.scope AND f.key = OLD.key LIMIT 1) IS NULL
  THEN
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  END IF;
  IF TG_OP = 'UPDATE' THEN
    IF (SELECT 1 FROM semel.waiting w WHERE w.task = NEW.task AND w.after IS NOT NULL LIMIT 1) IS NOT NULL THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'semel: the key of task % cannot change hands while a task of its identity is open', OLD.task
    USING ERRCODE = 'integrity_constraint_violation';
END
$body$;

CREATE TRIGGER record_changes_owner BEFORE UPDATE OF task ON semel.record
  FOR EACH ROW WHEN (OLD.task <> NEW.task) EXECUTE FUNCTION semel.keep_one_open_task();

CREATE TRIGGER record_goes BEFORE DELETE ON semel.record
  FOR EACH ROW EXECUTE FUNCTION semel.keep_one_open_task();

-- Semel on PostgreSQL, schema version 5: workflows are found without their type, and can be restarted.
-- No earlier program can work on it: it would end steps without waking workflows, or could not read the options of a workflow.

-- Finds the workflows among all tasks, for lists, newest first. The options of a workflow begin with "~". A task that is none is not in it.
CREATE INDEX task_workflow ON semel.task (id) WHERE left(retry, 1) = '~';

-- The lane of a pending task that is a workflow which continues after a wait: that uses nothing of a rate limit, so claims look for those apart
-- where a queue has one. NULL otherwise, so that the row of a task is as large as before, and not in the index. No condition on it can be met by
-- the index of all pending tasks.
ALTER TABLE semel.ready ADD COLUMN woken integer;
CREATE INDEX ready_woken ON semel.ready (woken, suspect, order_at, seq) WHERE woken IS NOT NULL;

-- The generation of a workflow's history, from 1: a restart begins the next one, with an entry in the inbox.
ALTER TABLE semel.flow ADD COLUMN generation integer NOT NULL DEFAULT 1;

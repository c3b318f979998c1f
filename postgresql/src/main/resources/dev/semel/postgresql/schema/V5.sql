-- Semel on PostgreSQL, schema version 5: workflows are found without their type.
-- No earlier program can work on it: it would end steps without waking workflows, or could not read the options of a workflow.

-- Finds the workflows among all tasks, for lists, newest first. The options of a workflow begin with "~". A task that is none is not in it.
CREATE INDEX task_workflow ON semel.task (id) WHERE left(retry, 1) = '~';

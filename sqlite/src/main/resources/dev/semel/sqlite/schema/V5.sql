-- Semel on SQLite, schema version 5: workflows are found without their type, and can be restarted.
-- No earlier program can work on it: it would end steps without waking workflows, or could not read the options of a workflow.

-- Finds the workflows among all tasks, for lists, newest first. The options of a workflow begin with "~". A task that is none is not in it.
CREATE INDEX semel_task_workflow ON semel_task (id) WHERE substr(retry, 1, 1) = '~';

-- Finds workflows that continue after a wait: pending tasks with themselves in after_id. They use nothing of a rate limit, so claims look for
-- them apart where a queue has one. No other task is in it.
CREATE INDEX semel_task_woken ON semel_task (lane, order_at, seq, priority) WHERE state = 'pending' AND after_id IS NOT NULL;

-- The generation of a workflow's history, from 1: a restart begins the next one, with an entry in the inbox.
ALTER TABLE semel_flow ADD COLUMN generation INTEGER NOT NULL DEFAULT 1;

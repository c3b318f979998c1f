-- The file's time on SQLite. It belongs to the file, so tasks and the guard share it, and whichever is opened first makes it.

-- The time that decides what is due and what has expired: one row. It never falls, except by "semel doctor --repair-time".
CREATE TABLE IF NOT EXISTS semel_clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  time INTEGER NOT NULL,               -- the latest time that any process has used, to a quarter of a second
  boot TEXT NOT NULL,                  -- the boot of the machine that wrote it; empty if that is not known
  uptime INTEGER NOT NULL,             -- of that boot, in milliseconds: says how much time has passed since
  repairs INTEGER NOT NULL DEFAULT 0   -- how often the time was set back
) STRICT;

-- The processes at work on the file, and what their own clocks show. The file's time jumps ahead only as far as all agree.
CREATE TABLE IF NOT EXISTS semel_process (
  id INTEGER PRIMARY KEY,              -- random, one for each store that is open
  boot TEXT NOT NULL,
  ahead INTEGER NOT NULL,              -- how far its own clock is ahead of the file's time, in milliseconds
  until INTEGER NOT NULL               -- counts as at work until then; at least until its last lease ends
) STRICT;

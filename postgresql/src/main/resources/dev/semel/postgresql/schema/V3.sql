-- Semel on PostgreSQL, schema version 3: a worker's lease carries the number of its claim, by which a shared lease is found; schedules.

-- Not unique: a claim that is overtaken by its own repetition takes twice under one number. No other column: with last_seq in
-- it, a plan that was made for an empty table would use it to look up leases by lane and seq, and read all of it.
CREATE INDEX lease_claim ON semel.lease (claim);

-- A schedule: when its next tick is due, and its definition and state as one JSON document that a person can read. Every change
-- writes the whole row and names the version that it replaces.
CREATE TABLE semel.schedule (
  tenant text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  version uuid NOT NULL,               -- chosen by the sender of the change
  next_at bigint,                      -- NULL if it does not tick
  document text NOT NULL,
  PRIMARY KEY (tenant, name)
) WITH (fillfactor = 50);

-- Finds what is due. Ten thousand schedules cost a look nothing until one of them is due.
CREATE INDEX schedule_due ON semel.schedule (next_at, tenant, name) WHERE next_at IS NOT NULL;

-- The guard on PostgreSQL, schema version 1. docs/reference/schema.md explains more.

-- What has happened under a key. Keys are compared byte by byte ("C"), whatever the database's language. There is no index
-- but the primary key, and pages keep room for a new version of each row: beginning and finishing then touch no index, and
-- a sweep walks the table once in an hour.
CREATE TABLE semel.guard (
  tenant text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  state text NOT NULL,                 -- in_progress, success, failure
  owner uuid NOT NULL,                 -- the random token of the newest call: every change but a beginning must know it
  payload_hash bytea,
  began_at timestamptz(3) NOT NULL,
  changed_at timestamptz(3) NOT NULL,
  lease_until timestamptz(3),          -- NULL unless in progress
  expires_at timestamptz(3) NOT NULL,
  result text,
  error text,
  PRIMARY KEY (tenant, key)
) WITH (fillfactor = 70);

-- The guard on SQLite, schema version 1. All times are milliseconds since 1970 (UTC). docs/reference/schema.md explains more.

-- What has happened under a key. In order of tenant and key, which are compared as a whole; no index by expires_at, because
-- a sweep walks the table once in an hour, and calls pay nothing for it.
CREATE TABLE semel_guard (
  tenant TEXT NOT NULL,
  key TEXT NOT NULL,
  state TEXT NOT NULL,                 -- in_progress, success, failure
  owner BLOB NOT NULL,                 -- the random token of the newest call: every change but a beginning must know it
  payload_hash BLOB,
  began_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  lease_until INTEGER,                 -- NULL unless in progress
  expires_at INTEGER NOT NULL,
  result TEXT,
  error TEXT,
  PRIMARY KEY (tenant, key)
) STRICT, WITHOUT ROWID;

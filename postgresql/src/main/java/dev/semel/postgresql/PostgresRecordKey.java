package dev.semel.postgresql;

/**
 * The key of an idempotency record: an identity with the number of its scope. Ordered, because transactions that lock records
 * in different orders deadlock.
 */
record PostgresRecordKey(int scope, String key) implements Comparable<PostgresRecordKey> {

    @Override
    public int compareTo(PostgresRecordKey other) {
        int first = Integer.compare(scope, other.scope);
        return first != 0 ? first : key.compareTo(other.key);
    }
}

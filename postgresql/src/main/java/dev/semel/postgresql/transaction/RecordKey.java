package dev.semel.postgresql.transaction;

/**
 * The key of an idempotency record: an identity with the number of its scope. Ordered, because transactions that lock records
 * in different orders deadlock.
 */
public record RecordKey(int scope, String key) implements Comparable<RecordKey> {

    @Override
    public int compareTo(RecordKey other) {
        int first = Integer.compare(scope, other.scope);
        return first != 0 ? first : key.compareTo(other.key);
    }
}

package dev.semel.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A submission.
 *
 * @param number the number of the task; the same for duplicates
 * @param key its key, or null
 */
record Item(int number, @Nullable String key) {

    /** The pattern of keys. */
    enum Keys {
        /** No keys. */
        NONE,
        /** Ascending, like order numbers. */
        RISING,
        /** Scattered, like random UUIDs. */
        RANDOM;

        @Nullable
        String of(int number) {
            return switch (this) {
                case NONE -> null;
                case RISING -> String.format(Locale.ROOT, "order-%010d", number);
                case RANDOM -> new UUID(mixed(number), mixed(~number)).toString();
            };
        }

        // The finaliser of SplitMix64: the same number gives the same key for Semel and for raw.
        private static long mixed(long number) {
            long z = (number + 1) * 0x9E3779B97F4A7C15L;
            z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
            z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
            return z ^ (z >>> 31);
        }
    }

    /** Returns submissions of new tasks. */
    static List<Item> fresh(int from, int count, Keys keys) {
        List<Item> items = new ArrayList<>(count);
        for (int number = from; number < from + count; number++) {
            items.add(new Item(number, keys.of(number)));
        }
        return items;
    }

    /**
     * Returns submissions of which some are duplicates of the existing tasks 0 to {@code known}, and the others are
     * new.
     */
    static List<Item> mixed(int known, int count, boolean halfNew, Keys keys) {
        List<Item> items = new ArrayList<>(count);
        int next = known;
        for (int i = 0; i < count; i++) {
            int number = halfNew && i % 2 == 1 ? next++ : i % known;
            items.add(new Item(number, keys.of(number)));
        }
        return items;
    }
}

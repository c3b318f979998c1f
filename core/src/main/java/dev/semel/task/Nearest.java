package dev.semel.task;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** A search for the word that was probably meant. */
public final class Nearest {

    private Nearest() {}

    /**
     * Finds the word with the smallest edit distance to the given one.
     *
     * @param given the word that was written
     * @param words the known words
     * @return the word; empty if all known words are too different
     */
    public static Optional<String> to(String given, Collection<String> words) {
        // A third of the letters: "submti" is submit, "list" is not "task".
        int most = Math.max(1, given.replace("-", "").replace("_", "").length() / 3);
        return words.stream()
                .filter(word -> mistakes(given, word) <= most)
                .min(Comparator.comparingInt((String word) -> mistakes(given, word))
                        .thenComparing(word -> word));
    }

    /** The restricted Damerau-Levenshtein distance: letters added, removed, changed or swapped with their neighbour. */
    private static int mistakes(String a, String b) {
        int[][] least = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    least[i][j] = i + j;
                    continue;
                }
                int changed = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                least[i][j] = Math.min(Math.min(least[i - 1][j], least[i][j - 1]) + 1, least[i - 1][j - 1] + changed);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    least[i][j] = Math.min(least[i][j], least[i - 2][j - 2] + 1);
                }
            }
        }
        return least[a.length()][b.length()];
    }
}

package dev.semel.storetests.storm;

import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;

/** When claims were under way whose answers were lost: only then a task may have been claimed without a trace. */
final class LostClaims {

    // Spans that overlap are one: from its beginning to its end.
    private final TreeMap<Long, Long> spans = new TreeMap<>();

    LostClaims(Collection<Span> claims) {
        long begin = Long.MIN_VALUE;
        for (Span claim :
                claims.stream().sorted(Comparator.comparingLong(Span::asked)).toList()) {
            Long end = spans.get(begin);
            if (end == null || end < claim.asked()) {
                begin = claim.asked();
                spans.put(begin, claim.answered());
            } else {
                spans.put(begin, Math.max(end, claim.answered()));
            }
        }
    }

    /** Whether one of them was under way at any moment between two. */
    boolean any(long since, long until) {
        Map.Entry<Long, Long> last = spans.floorEntry(until);
        return last != null && last.getValue() >= since;
    }
}

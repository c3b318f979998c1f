package dev.semel.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.task.InvalidInput;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CronExpressionTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 3 * * *           | 2027-01-01T00:00 | 2027-01-01T03:00 2027-01-02T03:00",
                "*/20 8-9 * * *      | 2027-01-01T09:30 | 2027-01-01T09:40 2027-01-02T08:00 2027-01-02T08:20",
                "15,45 * * * *       | 2027-01-01T00:16 | 2027-01-01T00:45 2027-01-01T01:15",
                "0 0 1 * *           | 2027-01-02T00:00 | 2027-02-01T00:00 2027-03-01T00:00",
                "0 0 29 2 *          | 2027-01-01T00:00 | 2028-02-29T00:00 2032-02-29T00:00",
                "0 9 * * MON-FRI     | 2027-01-01T10:00 | 2027-01-04T09:00 2027-01-05T09:00",
                "0 9 * * fri-sun     | 2027-01-04T10:00 | 2027-01-08T09:00 2027-01-09T09:00 2027-01-10T09:00",
                "0 9 * * 7           | 2027-01-01T00:00 | 2027-01-03T09:00 2027-01-10T09:00",
                "0 0 13 * FRI        | 2027-01-01T00:00 | 2027-01-01T00:00 2027-01-08T00:00 2027-01-13T00:00",
                "0 0 L * *           | 2027-02-01T00:00 | 2027-02-28T00:00 2027-03-31T00:00",
                "0 0 * * MON#2       | 2027-01-01T00:00 | 2027-01-11T00:00 2027-02-08T00:00",
                "0 0 * * FRIL        | 2027-01-01T00:00 | 2027-01-29T00:00 2027-02-26T00:00",
                "0 0 ? JAN,jul *     | 2027-01-31T00:00 | 2027-01-31T00:00 2027-07-01T00:00",
                "30 10-50/20 7 * * * | 2027-01-01T07:10:31 | 2027-01-01T07:30:30 2027-01-01T07:50:30 2027-01-02T07:10:30",
                "5/20 * * * *        | 2027-01-01T00:06 | 2027-01-01T00:25 2027-01-01T00:45 2027-01-01T01:05",
                "@daily              | 2027-01-01T00:01 | 2027-01-02T00:00",
                "@WEEKLY             | 2027-01-01T00:00 | 2027-01-03T00:00",
                "@hourly             | 2027-01-01T00:01 | 2027-01-01T01:00",
                "@monthly            | 2027-01-02T00:00 | 2027-02-01T00:00",
                "@yearly             | 2027-01-02T00:00 | 2028-01-01T00:00",
            })
    void theNextLocalTimes(String text, String from, String expected) {
        CronExpression expression = CronExpression.parse(text);
        List<LocalDateTime> times = new ArrayList<>();
        LocalDateTime at = LocalDateTime.parse(from);
        for (int i = 0; i < expected.split(" ").length; i++) {
            LocalDateTime next = expression.next(at);
            assertThat(next).isNotNull();
            assertThat(expression.matches(next)).isTrue();
            times.add(next);
            at = next.plusSeconds(1);
        }
        assertThat(times.stream().map(LocalDateTime::toString)).containsExactly(expected.split(" "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 25 * * *    | hours are 0 to 23, but got \"25\" at column 3.",
                "60 * * * *    | minutes are 0 to 59, but got \"60\" at column 1.",
                "0 0 1,32 * *  | days of the month are 1 to 31, but got \"32\" at column 7.",
                "0 0 0 * *     | days of the month are 1 to 31, but got \"0\" at column 5.",
                "0 0 * 13 *    | months are 1 to 12, but got \"13\" at column 7.",
                "0 0 * FOO *   | months are 1 to 12, but got \"FOO\" at column 7.",
                "0 0 * * 8     | days of the week are 0 to 7, but got \"8\" at column 9.",
                "0 0 * * MON#6 | as in MON#2, but got \"6\" at column 13.",
                "*/0 * * * *   | a step is 1 to 59, but got \"0\" at column 3.",
                "*/x * * * *   | a step is 1 to 59, but got \"x\" at column 3.",
                "30-10 * * * * | a range goes from the lower to the higher value, but got \"30-10\" at column 1.",
                "0 0 * * ß     | days of the week are 0 to 7, but got \"ß\" at column 9.",
                "0 0 * ŉŉ *    | months are 1 to 12, but got \"ŉŉ\" at column 7.",
                "1,,2 * * * *  | expected a value, but got \"\" at column 3.",
                "0 0 * *       | 5 fields",
                "0 0 0 0 0 0 0 | 5 fields",
                "@sometimes    | \"@sometimes\" is not known",
                "0 0 30 2 *    | never fires",
                "0 0 31 4,6 *  | never fires",
                "0 0 * FEB MON#5,TUE#9 | as in MON#2, but got \"9\"",
            })
    void aWrongExpressionIsRefusedWithItsPlace(String text, String message) {
        assertThatThrownBy(() -> CronExpression.parse(text))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining(message);
    }

    @Test
    void spacesAroundAndBetweenTheFieldsDoNotShiftTheColumn() {
        assertThatThrownBy(() -> CronExpression.parse("  0   99 * * *")).hasMessageContaining("at column 7.");
        assertThat(CronExpression.parse(" 0\t3 * * * ")).isEqualTo(CronExpression.parse("0\t3 * * *"));
    }

    @Test
    void theRarestDateIsFound() {
        // A February with five Mondays comes once in 28 years.
        assertThat(CronExpression.parse("0 0 ? FEB MON#5").next(LocalDateTime.parse("2027-01-01T00:00")))
                .isEqualTo(LocalDateTime.parse("2044-02-29T00:00"));
    }
}

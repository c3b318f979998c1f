package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.engine.WorkerOptions;
import dev.semel.store.QueueSettings;
import dev.semel.task.IdentityStrategy;
import dev.semel.task.InvalidInput;
import dev.semel.task.JsonPointer;
import dev.semel.task.RateLimit;
import dev.semel.task.RetryPolicy;
import dev.semel.task.ReusePolicy;
import dev.semel.task.ReusePolicy.AfterEnd;
import dev.semel.task.ReusePolicy.WhileOpen;
import dev.semel.task.Scope;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SettingsFileTest {

    @TempDir
    Path directory;

    private Path file(String text) {
        try {
            return Files.writeString(directory.resolve("semel.toml"), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Settings read(String text) {
        return SettingsFile.read(file(text));
    }

    @Test
    void theServerIsAUrlToSpeakToOrATableOfWhatToListenOn() {
        Settings settings = read("""
            store = "sqlite:semel.db"

            [server]
            host = "0.0.0.0"
            port = 8443
            tokens = "tokens.json"
            certificate = "chain.pem"
            private_key = "key.pem"
            grace = "5s"
            audit = "audit.jsonl"
            """);
        assertThat(settings.store()).isEqualTo("sqlite:semel.db");
        assertThat(settings.listening())
                .isEqualTo(new Settings.Listening(
                        "0.0.0.0", 8443, "tokens.json", "chain.pem", "key.pem", Duration.ofSeconds(5), "audit.jsonl"));
        assertThat(read("server = \"https://semel.example.com\"").store()).isEqualTo("https://semel.example.com");
        assertThat(read("").listening()).isEqualTo(Settings.Listening.NONE);
        for (String wrong : List.of("port = 70000", "prt = 1", "host = \"\"", "grace = \"soon\"", "port = \"1\"")) {
            assertThatThrownBy(() -> read("[server]\n" + wrong))
                    .as(wrong)
                    .isInstanceOf(InvalidInput.class)
                    .hasMessageContaining("line 2");
        }
    }

    @Test
    void allThatCanBeSaidIsRead() {
        Settings settings = read("""
            store = "sqlite:semel.db"

            [defaults]
            identity = "strict"
            reuse = "after_finish"
            idempotency_ttl = "10d"

            [cleaning]
            interval = "30m"
            retention = "3d"
            dead_letter_retention = "60d"
            workflow_retention = "90d"

            [queues.payments]
            retention = "30d"
            idempotency_ttl = "31d"
            rate_limit = "100/sec"
            concurrency = 5
            dead_letter_queue = "graveyard"
            reuse = "never, open=reject"

            [tasks.charge_customer]
            queue = "payments"
            identity = "caller_provided"
            scope = "custom:money"
            reuse = "never"
            idempotency_ttl = "90d"
            timeout = "30s"
            priority = 7
            time_limit = "2h"
            start_by = "5m"
            max_attempts = 4

            [tasks.build_report]
            identity = "contextual"
            identity_fields = ["/customer", "/month"]
            ignore_fields = [
              "/trace_id",   # changes each time
            ]
            retry_delays = ["1s", "5s"]
            """);
        assertThat(settings.store()).isEqualTo("sqlite:semel.db");
        assertThat(settings.defaults())
                .isEqualTo(new Settings.Defaults(
                        IdentityStrategy.strict(), ReusePolicy.afterFinish(), Duration.ofDays(10)));
        assertThat(settings.cleaning())
                .isEqualTo(new Settings.CleaningTimes(
                        Duration.ofMinutes(30), Duration.ofDays(3), Duration.ofDays(60), Duration.ofDays(90)));
        assertThat(settings.queues()).containsOnlyKeys("payments");
        assertThat(settings.queues().get("payments"))
                .isEqualTo(new QueueSettings(
                        null,
                        RateLimit.parse("100/sec"),
                        5,
                        Duration.ofDays(30),
                        Duration.ofDays(31),
                        ReusePolicy.of(WhileOpen.REJECT, AfterEnd.RETURN, AfterEnd.RETURN),
                        "graveyard"));
        assertThat(settings.task("charge_customer"))
                .isEqualTo(new TypeSettings(
                        "payments",
                        IdentityStrategy.callerProvided(),
                        Scope.custom("money"),
                        ReusePolicy.never(),
                        Duration.ofDays(90),
                        null,
                        RetryPolicy.attempts(4),
                        Duration.ofSeconds(30),
                        7,
                        Duration.ofHours(2),
                        Duration.ofMinutes(5)));
        assertThat(settings.task("build_report"))
                .isEqualTo(new TypeSettings(
                        null,
                        IdentityStrategy.contextual("/customer", "/month"),
                        null,
                        null,
                        null,
                        List.of(new JsonPointer("/trace_id")),
                        RetryPolicy.delays(Duration.ofSeconds(1), Duration.ofSeconds(5)),
                        null,
                        null,
                        null,
                        null));
    }

    @Test
    void theSettingsOfWorkersAreRead() {
        Settings settings = read("""
            [workers.payments]
            concurrency = 64
            prefetch = 0
            held_bytes = 4000000
            lease = "1m"
            poll = "250ms"
            max_vanished = 2
            close_grace = "0"
            """);
        assertThat(settings.worker("payments"))
                .isEqualTo(new WorkerOptions(
                        64, 0, 4_000_000L, Duration.ofMinutes(1), Duration.ofMillis(250), 2, Duration.ZERO));
        assertThat(settings.worker("mail")).isEqualTo(WorkerOptions.NONE);
    }

    @Test
    void whatIsNotSaidIsLeftToTheCode() {
        assertThat(read("")).isEqualTo(Settings.NONE);
        assertThat(read("# nothing\n")).isEqualTo(Settings.NONE);
        assertThat(read("[queues.q]\n").queues().get("q")).isEqualTo(QueueSettings.NONE);
        assertThat(read("[tasks.t]\n").task("t")).isEqualTo(TypeSettings.NONE);
        assertThat(read("[cleaning]\ninterval = \"0\"\n").cleaning())
                .isEqualTo(new Settings.CleaningTimes(Duration.ZERO, null, null, null));
    }

    @Test
    void attemptsAndDelaysGoTogether() {
        assertThat(read("[tasks.t]\nmax_attempts = 9\nretry_delays = [\"1s\"]\n")
                        .task("t")
                        .retry())
                .isEqualTo(new RetryPolicy(9, new RetryPolicy.Backoff.Fixed(List.of(Duration.ofSeconds(1)))));
    }

    @Test
    void limitsCanBeTakenAwayAndFinishedTasksForgotten() {
        QueueSettings queue = read("""
            [queues."a/b:c"]
            rate_limit = "none"
            concurrency = 0
            retention = "0"
            dead_letter_queue = ""
            """).queues().get("a/b:c");
        assertThat(queue).isNotNull();
        assertThat(queue.rateLimit()).isEqualTo(RateLimit.NONE);
        assertThat(queue.isLimited()).isFalse();
        assertThat(queue.keepsNothing()).isTrue();
        assertThat(queue.deadLettersTo()).isNull();
    }

    @Test
    void theFormsOfTomlAreEqual() {
        Settings tables = read("[tasks.t]\nqueue = \"q\"\n[queues.q]\nconcurrency = 1\n");
        assertThat(read("tasks.t.queue = 'q'\nqueues = { q = { concurrency = 1 } }\n"))
                .isEqualTo(tables);
        assertThat(read("tasks.t.queue = 'q'\r\nqueues.q.concurrency = 0x1\r\n"))
                .isEqualTo(tables);
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(unknownNames(), wrongTypes(), wrongValues(), whatDoesNotGoTogether(), wrongForm())
                .flatMap(mistakes -> mistakes);
    }

    private static Stream<Arguments> unknownNames() {
        return Stream.of(
                wrong(
                        "stroe = \"x\"",
                        1,
                        "stroe",
                        "Did you mean \"store\"?",
                        "Known settings are store, server, defaults"),
                wrong("\n\n[quues.payments]\nretention = \"1d\"", 3, "quues", "Did you mean \"queues\"?"),
                wrong(
                        "[defaults]\nttl = \"1d\"",
                        2,
                        "defaults.ttl",
                        "no such setting in [defaults]",
                        "idempotency_ttl"),
                wrong("[cleaning]\ninterval = \"1h\"\nintervall = \"1h\"", 3, "cleaning.intervall", "\"interval\"?"),
                wrong("[queues.a]\n\nretenion = \"1d\"", 3, "queues.a.retenion", "Did you mean \"retention\"?"),
                wrong(
                        "[tasks.a]\nzzz = 1",
                        2,
                        "tasks.a.zzz",
                        "no such setting in [tasks.a]. Known settings are queue, identity"),
                wrong("tasks.a.b.c = 1", 1, "tasks.a.b", "no such setting in [tasks.a]"),
                wrong("[queues.a]\n[queues.\"a b\"]", 2, "queues.a b", "A queue name has 1 to 100", "\"a b\""),
                wrong("[tasks.\"-\"]", 1, "tasks.-", "A task type name"),
                wrong("[tasks.a]\nqueue = \"\"", 2, "tasks.a.queue", "A queue name"),
                wrong("[queues.a]\ndead_letter_queue = \"ü\"", 2, "queues.a.dead_letter_queue", "\"ü\""));
    }

    private static Stream<Arguments> wrongTypes() {
        return Stream.of(
                wrong("server = \"sqlite:x.db\"", 1, "server", "The server is a URL"),
                wrong("store = 1", 1, "store", "takes a string in quotation marks, but got a whole number"),
                wrong("store = 2020-01-01", 1, "store", "takes a string in quotation marks, but got a date or time"),
                wrong("queues = 1", 1, "queues", "takes a table, but got a whole number"),
                wrong("[[queues]]\na = 1", 1, "queues", "takes a table, but got a list"),
                wrong("[queues]\na = \"x\"", 2, "queues.a", "takes a table, but got a string"),
                wrong("[queues.a]\nretention = 0", 2, "queues.a.retention", "quotation marks, but got a whole number"),
                wrong("[queues.a]\nrate_limit = 1.5", 2, "queues.a.rate_limit", "quotation marks, but got a number"),
                wrong("[queues.a]\nconcurrency = \"5\"", 2, "queues.a.concurrency", "a whole number, but got a string"),
                wrong("[queues.a]\nconcurrency = true", 2, "queues.a.concurrency", "a whole number, but got \"true\""),
                wrong("[queues.a]\nconcurrency = 1.5", 2, "queues.a.concurrency", "a whole number of", "\"1.5\""),
                wrong("[tasks.a]\npriority = 99999999999", 2, "tasks.a.priority", "\"99999999999\""),
                wrong(
                        "[tasks.a]\nignore_fields = \"/a\"",
                        2,
                        "tasks.a.ignore_fields",
                        "a list of strings, but got a string"),
                wrong("[tasks.a]\nretry_delays = [\"1s\",\n 2]", 2, "tasks.a.retry_delays", "but got a whole number"),
                wrong("[tasks.a]\nqueue = {}", 2, "tasks.a.queue", "but got a table"));
    }

    private static Stream<Arguments> wrongValues() {
        return Stream.of(
                wrong("[cleaning]\ninterval = \"1w\"", 2, "cleaning.interval", "A duration is", "\"1w\""),
                wrong("[cleaning]\nretention = \"0\"", 2, "cleaning.retention", "at least a millisecond"),
                wrong("[queues.a]\nidempotency_ttl = \"0\"", 2, "queues.a.idempotency_ttl", "at least a millisecond"),
                wrong("[queues.a]\nretention = \"40000d\"", 2, "queues.a.retention", "100 years"),
                wrong("[queues.a]\nrate_limit = \"100/s\"", 2, "queues.a.rate_limit", "A rate limit is", "\"100/s\""),
                wrong("[queues.a]\nconcurrency = -1", 2, "queues.a.concurrency", "\"-1\""),
                wrong("[queues.a]\nreuse = \"often\"", 2, "queues.a.reuse", "A reuse policy begins", "\"often\""),
                wrong("[defaults]\nreuse = \"never, open=rerun\"", 2, "defaults.reuse", "\"rerun\""),
                wrong("[tasks.a]\nscope = \"global\"", 2, "tasks.a.scope", "A scope is", "\"global\""),
                wrong("[tasks.a]\npriority = 10", 2, "tasks.a.priority", "0 (default) to 9", "\"10\""),
                wrong("[tasks.a]\nmax_attempts = 0", 2, "tasks.a.max_attempts", "1 to 1000", "\"0\""),
                wrong("[tasks.a]\ntimeout = \"0\"", 2, "tasks.a.timeout", "at least a millisecond"),
                wrong("[tasks.a]\nretry_delays = []", 2, "tasks.a.retry_delays", "1 to 100 entries, but got 0"),
                wrong("[tasks.a]\nretry_delays = [\"x\"]", 2, "tasks.a.retry_delays", "A duration is", "\"x\""),
                wrong("[tasks.a]\nidentity = \"Strict\"", 2, "tasks.a.identity", "caller_provided", "\"Strict\""),
                wrong("[tasks.a]\nignore_fields = [\"\"]", 2, "tasks.a.ignore_fields", "the whole input"));
    }

    private static Stream<Arguments> whatDoesNotGoTogether() {
        return Stream.of(
                wrong("[tasks.a]\nidentity_fields = [\"/a\"]", 2, "tasks.a.identity_fields", "identity is not given"),
                wrong(
                        "[defaults]\nidentity = \"strict\"\n\nidentity_fields = [\"/a\"]",
                        4,
                        "defaults.identity_fields",
                        "identity is \"strict\"",
                        "identity = \"contextual\""),
                wrong("[tasks.a]\nidentity = \"contextual\"", 2, "tasks.a.identity", "at least one field"),
                wrong(
                        "[tasks.a]\nidentity = \"contextual\"\nidentity_fields = []",
                        3,
                        "tasks.a.identity_fields",
                        "at least one field"),
                wrong(
                        "[tasks.a]\nidentity = \"contextual\"\nidentity_fields = [\"a\"]",
                        3,
                        "tasks.a.identity_fields",
                        "Write \"/\" before it"),
                wrong("[queues.a]\npaused = true", 2, "queues.a.paused", "paused at run time", "semel queue pause"),
                wrong("[queues.a]\ndead_letter_queue = \"a\"", 2, "queues.a.dead_letter_queue", "circle"),
                wrong(
                        "[queues.x]\ndead_letter_queue = \"a\"\n[queues.a]\ndead_letter_queue = \"b\"\n[queues.b]\n"
                                + "dead_letter_queue = \"a\"",
                        4,
                        "queues.a.dead_letter_queue",
                        "circle"));
    }

    private static Stream<Arguments> wrongForm() {
        return Stream.of(
                wrong("[queues.a]\n[tasks.a]\n[queues.a]\n# more\n", 3, "queues.a", "a table is given once"),
                wrong("store = \"a\"\n\nstore = \"b\"\n# more\n", 3, "store", "a name is given once"),
                wrong("[tasks.a]\nqueue = \"a\"\npriority = 1\nqueue = \"b\"", 4, "queue", "a name is given once"),
                wrong("[workers.a]\nconcurrency = 0", 2, "workers.a.concurrency", "1 to 5000"),
                wrong("[workers.a]\n\nprefetch = 5001", 3, "workers.a.prefetch", "0 to 5000"),
                wrong("[workers.a]\nheld_bytes = 5", 2, "workers.a.held_bytes", "bytes or more"),
                wrong("[workers.a]\nlease = \"99ms\"", 2, "workers.a.lease", "100 ms"),
                wrong("[workers.a]\npoll = \"0\"", 2, "workers.a.poll", "at least a millisecond"),
                wrong("[workers.a]\nmax_vanished = 0", 2, "workers.a.max_vanished", "1 to 1000"),
                wrong("[workers.a]\nclose_grace = 5", 2, "workers.a.close_grace", "a string"),
                wrong("[workers.a]\nconcurency = 5", 2, "workers.a.concurency", "\"concurrency\""),
                wrong("[workers]\nconcurrency = 5", 2, "workers.concurrency", "a table"),
                wrong("[queues.a\n", 1, null, "is TOML", "toml.io"),
                wrong("\nstore = semel.db\n", 2, "store", "is TOML"),
                wrong("store = \"a\nb\"", 1, "store", "is TOML"),
                wrong("a = 1 b = 2", 1, "a", "is TOML"),
                wrong("[tasks.a]\nqueue = \"a\"\n[tasks.a.queue]\n", 3, "tasks.a.queue", "is TOML"));
    }

    private static Arguments wrong(String text, int line, String name, String... expected) {
        return Arguments.of(text, line, name, List.of(expected));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeIsReportedWithItsFileLineAndName(String text, int line, String name, List<String> expected) {
        AbstractThrowableAssert<?, ?> refused =
                assertThatThrownBy(() -> read(text)).isInstanceOf(InvalidInput.class);
        refused.hasMessageStartingWith("Configuration file \"" + directory.resolve("semel.toml") + "\", line " + line
                + (name == null ? ": " : ", " + name + ": "));
        expected.forEach(refused::hasMessageContaining);
    }

    @Test
    void aLineIsFoundBehindValuesOfManyLines() {
        String text = "[tasks.a]\nignore_fields = [\n" + "  \"/a\",\n".repeat(40) + "]\nqueue = \"\"\"\\\n  q\"\"\"\n\n"
                + "prioriti = 1\n" + "# and on\n".repeat(30);
        assertThatThrownBy(() -> read(text)).hasMessageContaining("line 47, tasks.a.prioriti: ");
        String inside = "\n\n[tasks.a]\nignore_fields = [\n" + "  \"/a\",\n".repeat(40) + "  \"b\"]\n";
        assertThatThrownBy(() -> read(inside)).hasMessageContaining("line 4, tasks.a.ignore_fields: ");
    }

    @Test
    void whatMayBeAPasswordIsNotShown() {
        assertThatThrownBy(() -> read("store = postgresql://user:secret@host/db\n"))
                .message()
                .doesNotContain("secret");
        assertThatThrownBy(() -> read("store = [\"postgresql://user:secret@host/db\"]\n"))
                .message()
                .doesNotContain("secret");
    }

    @Test
    void aFileThatCannotBeReadIsSaidSo() throws IOException {
        assertThatThrownBy(() -> SettingsFile.read(directory.resolve("none.toml")))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("none.toml\" does not exist");
        assertThatThrownBy(() -> SettingsFile.read(directory))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("is a directory");
        Path latin =
                Files.write(directory.resolve("latin.toml"), "a = 1\n# Müller\n".getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> SettingsFile.read(latin))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("line 2: a configuration file is UTF-8, but got byte \"FC\"");
        Path cut = Files.write(directory.resolve("cut.toml"), new byte[] {'#', (byte) 0xC3});
        assertThatThrownBy(() -> SettingsFile.read(cut)).hasMessageContaining("line 1", "UTF-8");
        Path nested = file("store = " + "[".repeat(2_000) + "]".repeat(2_000));
        assertThatThrownBy(() -> SettingsFile.read(nested)).isInstanceOf(InvalidInput.class);
    }

    @Test
    void aFileHasAtMostAMebibyte() {
        String most = "#".repeat(TomlDocument.MOST_BYTES);
        assertThat(read(most)).isEqualTo(Settings.NONE);
        assertThatThrownBy(() -> read(most + "#"))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("more than 1048576 bytes");
    }

    @Test
    void aMistakeAtTheEndOfALargeFileIsFoundSoon() {
        String text = "[tasks.a]\nignore_fields = [\n" + "\"/abcdefgh\",\n".repeat(300) + "]\n"
                + "# a comment that fills the file\n".repeat(20_000) + "\nx = 1\n";
        assertThatThrownBy(() -> read(text)).hasMessageContaining("line 20305, tasks.a.x: ");
    }

    @Test
    void anEmptyStoreIsNotTakenForTheDefault() {
        assertThatThrownBy(() -> read("store = \"\""))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("line 1, store")
                .hasMessageContaining("sqlite:semel.db");
    }
}

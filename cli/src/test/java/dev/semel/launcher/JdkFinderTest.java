package dev.semel.launcher;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * The script by which {@code ./mvnw} and {@code ./semel} find a JDK, run among directories that only look like JDKs.
 */
@EnabledOnOs({OS.LINUX, OS.MAC})
class JdkFinderTest {

    private static final Path SCRIPT =
            Path.of("..", ".mvn", "find-jdk.sh").toAbsolutePath().normalize();

    @TempDir
    Path root;

    private Path installed;
    private Path path;
    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void emptyMachine() throws IOException {
        root = root.toRealPath();
        installed = Files.createDirectory(root.resolve("installed here"));
        path = Files.createDirectory(root.resolve("path"));
        // The only tool that the script needs besides the shell itself; no java of the real machine is visible.
        program(path.resolve("readlink"), "#!/bin/sh\nPATH=/usr/bin:/bin exec readlink \"$@\"\n");
        environment.put("PATH", path.toString());
        environment.put("SEMEL_JDK_SEARCH", root.resolve("nothing") + "/*:" + installed + "/*");
    }

    @Test
    void the_newest_installed_jdk_is_taken() throws Exception {
        jdk("a", "21.0.9");
        Path newest = jdk("b", "25.0.10");
        jdk("c", "25.0.9");
        jdk("d", "1.8.0_402");

        assertThat(run()).isEqualTo(new Answer(0, newest.toString(), ""));
    }

    @Test
    void a_java_home_that_will_do_is_preferred_to_a_newer_jdk() throws Exception {
        jdk("newer", "25");
        environment.put("JAVA_HOME", jdk("chosen", "21.0.1") + "/");

        assertThat(run().output()).isEqualTo(installed.resolve("chosen").toString());
    }

    @Test
    void an_old_java_home_is_passed_over() throws Exception {
        environment.put("JAVA_HOME", jdk("old", "17.0.15").toString());
        Path usable = jdk("usable", "21");

        assertThat(run()).isEqualTo(new Answer(0, usable.toString(), ""));
    }

    @Test
    void a_java_home_that_does_not_exist_is_passed_over() throws Exception {
        environment.put("JAVA_HOME", root.resolve("gone").toString());
        Path usable = jdk("usable", "21");

        assertThat(run().output()).isEqualTo(usable.toString());
    }

    @Test
    void the_java_on_the_path_is_followed_through_links_and_preferred_to_a_newer_jdk() throws Exception {
        jdk("newer", "25");
        Path chosen = jdk("chosen", "22.0.2");
        Path alternative = Files.createSymbolicLink(root.resolve("alternative"), chosen.resolve("bin/java"));
        Files.createSymbolicLink(path.resolve("java"), path.relativize(alternative));

        assertThat(run().output()).isEqualTo(chosen.toString());
    }

    @Test
    void a_runtime_without_a_compiler_is_not_enough() throws Exception {
        Path runtime = jdk("runtime", "25");
        Files.delete(runtime.resolve("bin/javac"));

        Answer answer = run();

        assertThat(answer.status()).isEqualTo(1);
        assertThat(answer.errors()).contains(runtime + " (found): version 25, not a JDK");
    }

    @Test
    void without_a_jdk_it_says_what_was_found_what_is_needed_and_where_it_looked() throws Exception {
        Path old = jdk("old", "17.0.15");
        environment.put("JAVA_HOME", old.toString());

        Answer answer = run();

        assertThat(answer.status()).isEqualTo(1);
        assertThat(answer.output()).isEmpty();
        assertThat(answer.errors())
                .contains("needs a JDK 21 or newer")
                .contains(old + " (JAVA_HOME): version 17.0.15, too old")
                .contains("Looked at: JAVA_HOME, the java on the path, " + root.resolve("nothing") + "/*, " + installed)
                .contains("set JAVA_HOME");
    }

    @Test
    void on_a_machine_without_java_it_says_that_nothing_was_found() throws Exception {
        assertThat(run().errors()).contains("Found: nothing");
    }

    /** Creates a directory with what the script reads: the release file and two programs that are never started. */
    private Path jdk(String name, String version) throws IOException {
        Path home = Files.createDirectories(installed.resolve(name));
        Files.writeString(
                home.resolve("release"),
                "IMPLEMENTOR=\"Nobody\"\nJAVA_VERSION=\"%s\"\nOS_NAME=\"Any\"".formatted(version));
        Path bin = Files.createDirectory(home.resolve("bin"));
        program(bin.resolve("java"), "");
        program(bin.resolve("javac"), "");
        return home;
    }

    private static void program(Path file, String text) throws IOException {
        Files.writeString(file, text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private Answer run() throws IOException, InterruptedException {
        Path output = root.resolve("output");
        Path errors = root.resolve("errors");
        ProcessBuilder builder = new ProcessBuilder("/bin/sh", SCRIPT.toString())
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process process = builder.start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return new Answer(
                process.exitValue(), Files.readString(output, UTF_8).strip(), Files.readString(errors, UTF_8));
    }

    private record Answer(int status, String output, String errors) {}
}

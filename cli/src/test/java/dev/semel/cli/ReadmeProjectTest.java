package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.jdbc.GuardTables;
import dev.semel.sqlite.SqliteTaskStore;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * What a stranger does who has only the README: an empty directory, the files copied from the page, Maven against installed
 * artifacts, and the commands of the page. Nothing is installed into the user's own repository.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReadmeProjectTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    // Kept between builds, so that Maven's plugins are downloaded into it once.
    private static final Path REPOSITORY =
            Path.of("target", "readme-repository").toAbsolutePath();
    private static final Pattern VERSION = Pattern.compile("<artifactId>semel-bom</artifactId>\\s*<version>([^<]+)<");
    private static final Pattern PROGRAM =
            Pattern.compile("<!-- snippet: (\\w+) program -->\n```java\n(.*?)```", Pattern.DOTALL);
    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();
    private static final String RUN = "java --enable-native-access=ALL-UNNAMED -cp 'target/classes:target/lib/*' ";

    @TempDir
    static Path project;

    private static String readme;

    @BeforeAll
    static void buildTheProjectOfThePage() throws Exception {
        readme = Files.readString(ROOT.resolve("README.md"));
        install();
        Files.writeString(project.resolve("pom.xml"), between(readme, "```xml\n", "```"));
        Path sources = Files.createDirectories(project.resolve("src/main/java"));
        Matcher program = PROGRAM.matcher(readme);
        List<String> written = new ArrayList<>();
        while (program.find()) {
            written.add(program.group(1));
            Files.writeString(sources.resolve(program.group(1) + ".java"), program.group(2));
        }
        assertThat(written).containsExactly("FirstTask", "OwnWorker");
        // The same program with a typing mistake.
        String typo = Files.readString(sources.resolve("OwnWorker.java"))
                .replace("OwnWorker", "Mistaken")
                .replace("semel.worker(\"mail\")", "semel.worker(\"mial\")");
        assertThat(typo).contains("semel.worker(\"mial\")");
        Files.writeString(sources.resolve("Mistaken.java"), typo);
        promised("mvn -q package");
        maven("-q", "package");
    }

    @Test
    void theFirstTaskIsCreatedOnceAndHasAResult() throws Exception {
        promised(RUN + "FirstTask");
        Process process = java("FirstTask");
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(printed.lines())
                .containsExactly(
                        "first created: true", "second created: false", "same task: true", "receipt for: ORD-123");
        assertThat(process.exitValue()).isZero();
        assertThat(log("FirstTask")).as("standard error").isEmpty();
    }

    @Test
    void aWorkerOfItsOwnSurvivesItsTasksAndReturnsThemAtSigterm(@TempDir Path directory) throws Exception {
        promised(RUN + "OwnWorker semel.db");
        promised("semel submit send_mail '{\"to\":\"ada@example.org\",\"subject\":\"hello\"}' --queue mail --wait 30s");
        promised(
                "semel submit send_mail '{\"to\":\"\",\"subject\":\"no address\"}' --queue mail --max-attempts 1 --wait 30s");
        Cli semel = new Cli(directory);
        Process worker = java("OwnWorker", semel.file().toString());
        try {
            semel.run(
                            "submit",
                            "send_mail",
                            "{\"to\":\"ada@example.org\",\"subject\":\"hello\"}",
                            "--queue",
                            "mail",
                            "--wait",
                            "60s")
                    .exits(0);

            JsonNode failed = semel.json(
                    1,
                    "submit",
                    "send_mail",
                    "{\"to\":\"\",\"subject\":\"no address\"}",
                    "--queue",
                    "mail",
                    "--max-attempts",
                    "1",
                    "--wait",
                    "60s");
            String id = failed.path("task_id").asString();
            assertThat(log("OwnWorker")).contains("ERROR", id, "type=send_mail", "A mail needs an address");
            assertThat(semel.run("task", "show", id).exits(0).out()).contains("A mail needs an address");
            assertThat(semel.run("dead", "list").exits(0).out()).contains(id);

            String slow =
                    semel.submit("send_mail", "{\"to\":\"ada@example.org\",\"subject\":\"slow\"}", "--queue", "mail");
            until(() -> semel.show(slow).path("state").asString().equals("running"));
            worker.destroy(); // SIGTERM
            assertThat(worker.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(worker.exitValue()).isEqualTo(128 + 15);
            assertThat(semel.show(slow).path("state").asString()).isEqualTo("pending");
            assertThat(semel.show(slow).path("failures").asInt()).isZero();
        } finally {
            worker.destroyForcibly();
        }
    }

    @Test
    void aMisspelledQueueIsReported(@TempDir Path directory) throws Exception {
        promised("queue_of_type=mail claimed=[mial]");
        Process worker = java("Mistaken", directory.resolve("semel.db").toString());
        try {
            until(() -> log("Mistaken").contains("queue_of_type=mail claimed=[mial]"));
        } finally {
            worker.destroyForcibly();
        }
        assertThat(log("Mistaken")).contains("WARN", "Worker does not claim the queue of a type that it handles");
    }

    @Test
    void aMisspelledTypeIsReported(@TempDir Path directory) throws Exception {
        promised("Probably a typing mistake: type=send_mial used_by=submission did_you_mean=send_mail");
        Files.writeString(directory.resolve("semel.toml"), "[tasks.send_mail]\nqueue = \"mail\"\n");
        try (Child child = Child.semel(directory, "submit", "send_mial", "{}")) {
            assertThat(child.exitCode()).isZero();
        }
        assertThat(Files.readString(directory.resolve("children.log")))
                .contains("WARN", "type=send_mial used_by=submission did_you_mean=send_mail");
    }

    @Test
    void aMisspelledOptionOfAUrlIsReported() {
        promised("semel task list --store 'postgresql://db/app?shema=x'");
        Cli.Ran ran = Cli.bare("", java.util.Map.of(), "task", "list", "--store", "postgresql://me:pw@db/app?shema=x");
        assertThat(ran.exits(2).err())
                .contains("\"shema\"", "Did you mean \"schema\"?")
                .doesNotContain("pw");
        promised("but got \"shema\". Did you mean \"schema\"?");
    }

    private static void promised(String text) {
        assertThat(readme).contains(text);
    }

    private static Process java(String program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(
                List.of(JAVA, "--enable-native-access=ALL-UNNAMED", "-cp", "target/classes:target/lib/*", program));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .directory(project.toFile())
                .redirectError(project.resolve(program + ".log").toFile())
                .start();
    }

    private static String log(String program) throws IOException {
        return Files.readString(project.resolve(program + ".log"));
    }

    private static void until(java.util.concurrent.Callable<Boolean> condition) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(condition);
    }

    /** Runs the build's own Maven, with what the user's repository has behind the one that the artifacts are installed into. */
    private static void maven(String... arguments) throws Exception {
        String behind = System.getProperty("localRepository", System.getProperty("user.home") + "/.m2/repository");
        List<String> command = new ArrayList<>(List.of(
                "sh",
                ROOT.resolve("mvnw").toString(),
                "-B",
                "-ntp",
                "-Dmaven.repo.local=" + REPOSITORY,
                "-Dmaven.repo.local.tail=" + behind));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(project.toFile()).redirectErrorStream(true);
        // Those of the build around this one are not a stranger's.
        builder.environment().keySet().removeIf(name -> name.startsWith("MAVEN_") && !name.equals("MAVEN_USER_HOME"));
        Process process = builder.start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(printed).isZero();
    }

    /** Installs the artifacts that the page names, and those that they need, as {@code mvn install} does. */
    private static void install() throws Exception {
        Matcher version = VERSION.matcher(readme);
        assertThat(version.find()).isTrue();
        pom("semel-parent", "pom.xml", version.group(1));
        pom("semel-bom", "bom/pom.xml", version.group(1));
        jar("core", Semel.class, version.group(1));
        jar("jdbc", GuardTables.class, version.group(1));
        jar("sqlite", SqliteTaskStore.class, version.group(1));
    }

    private static Path pom(String artifact, String source, String version) throws IOException {
        Path directory = Files.createDirectories(
                REPOSITORY.resolve("dev/semel").resolve(artifact).resolve(version));
        Path pom = directory.resolve(artifact + "-" + version + ".pom");
        Files.copy(ROOT.resolve(source), pom, StandardCopyOption.REPLACE_EXISTING);
        return pom;
    }

    /** Installs a module from where its classes are: a jar in a whole build, a directory if only tests run. */
    private static void jar(String module, Class<?> inIt, String version) throws IOException, URISyntaxException {
        String artifact = "semel-" + module;
        Path jar = pom(artifact, module + "/pom.xml", version).resolveSibling(artifact + "-" + version + ".jar");
        Path classes =
                Path.of(inIt.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (!Files.isDirectory(classes)) {
            Files.copy(classes, jar, StandardCopyOption.REPLACE_EXISTING);
            return;
        }
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> all = Files.walk(classes)) {
            for (Path each : all.filter(Files::isRegularFile).sorted().toList()) {
                out.putNextEntry(
                        new JarEntry(classes.relativize(each).toString().replace('\\', '/')));
                Files.copy(each, out);
                out.closeEntry();
            }
        }
    }

    private static String between(String text, String start, String end) {
        int from = text.indexOf(start) + start.length();
        return text.substring(from, text.indexOf(end, from));
    }
}

package dev.semel.server.generated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.SemelServer;
import dev.semel.server.http.ListenerSettings;
import dev.semel.server.http.TokenScope;
import dev.semel.server.token.TokenFile;
import dev.semel.store.InMemoryTaskStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** openapi-generator makes a Java client of what the server says about itself, and the client works. */
class GeneratedClientTest {

    @TempDir
    private Path directory;

    @Test
    void aGeneratedClientSubmitsClaimsCompletesAndReads() throws Exception {
        Path tokens = directory.resolve("tokens.json");
        String secret = new TokenFile(tokens, InstantSource.system())
                .create("generated", null, EnumSet.allOf(TokenScope.class), null)
                .secret();
        try (SemelServer server = SemelServer.on(new InMemoryTaskStore(InstantSource.system()))
                .listen(ListenerSettings.plain("127.0.0.1", 0))
                .tokens(tokens)
                .start()) {
            String url = "http://127.0.0.1:" + server.port();
            Path description = directory.resolve("openapi.json");
            Files.writeString(description, get(url + "/v1/openapi.json"));
            Path client = directory.resolve("client");
            run(
                    "bin/java",
                    "-cp",
                    jar("openapi-generator-cli"),
                    "org.openapitools.codegen.OpenAPIGenerator",
                    "generate",
                    "-i",
                    description.toString(),
                    "-g",
                    "java",
                    "-o",
                    client.toString(),
                    "--library",
                    "native",
                    "--api-package",
                    "dev.semel.generated.api",
                    "--model-package",
                    "dev.semel.generated.model",
                    "--invoker-package",
                    "dev.semel.generated.invoker",
                    "--additional-properties",
                    "useJakartaEe=true,openApiNullable=false,dateLibrary=java8,containerDefaultToNull=true");
            Path classes = Files.createDirectory(directory.resolve("classes"));
            String classPath = jar("openapi-generator-cli") + ":" + jar("jakarta.annotation-api") + ":" + classes;
            List<String> compile = new ArrayList<>(
                    List.of("bin/javac", "-nowarn", "-proc:none", "-d", classes.toString(), "-cp", classPath));
            compile.add(
                    Path.of("src/test/resources/Trial.java").toAbsolutePath().toString());
            try (Stream<Path> sources = Files.walk(client.resolve("src/main/java"))) {
                sources.filter(source -> source.toString().endsWith(".java"))
                        .forEach(source -> compile.add(source.toString()));
            }
            run(compile.toArray(String[]::new));
            run("bin/java", "-cp", classPath, "Trial", url, secret);
        }
    }

    private static String jar(String name) {
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return Arrays.stream(path.split(":"))
                .filter(entry -> entry.contains("/" + name + "-"))
                .findFirst()
                .orElseThrow();
    }

    private static String get(String url) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }

    private static void run(String... command) throws IOException, InterruptedException {
        command[0] = Path.of(System.getProperty("java.home"), command[0]).toString();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(printed).isZero();
    }
}

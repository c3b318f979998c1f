package dev.semel.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PackagesTest {

    @Test
    void noPackageIsSplitOverTwoModules() throws IOException {
        Map<Path, Path> moduleOf = new HashMap<>();
        for (Path sources : sources()) {
            try (Stream<Path> files = Files.walk(sources)) {
                files.filter(file -> file.toString().endsWith(".java"))
                        .map(file -> sources.relativize(file.getParent()))
                        .distinct()
                        .forEach(name -> assertThat(moduleOf.put(name, sources))
                                .as("the other module with the package %s of %s", name, sources)
                                .isNull());
            }
        }
        assertThat(moduleOf).containsKeys(Path.of("dev/semel"), Path.of("dev/semel/cli"));
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            return modules.map(module -> module.resolve("src/main/java"))
                    .filter(Files::isDirectory)
                    .toList();
        }
    }
}

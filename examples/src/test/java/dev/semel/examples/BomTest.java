package dev.semel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The bill of materials names every module that is published, in the version of this build. */
class BomTest {

    private static final Pattern MODULE = Pattern.compile("<module>([\\w-]+)</module>");
    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(semel-[\\w-]+)</artifactId>");
    private static final Pattern VERSION =
            Pattern.compile("<artifactId>semel-(?:parent|bom)</artifactId>\\s*<version>([^<]+)</version>");

    @Test
    void theBomNamesAllPublishedModules() throws IOException {
        String root = read(Path.of("pom.xml"));
        String bom = read(Path.of("bom/pom.xml"));
        Set<String> published = new TreeSet<>();
        Matcher modules = MODULE.matcher(root);
        while (modules.find()) {
            String pom = read(Path.of(modules.group(1), "pom.xml"));
            if (!pom.contains("<maven.deploy.skip>true") && !modules.group(1).equals("bom")) {
                published.add("semel-" + modules.group(1));
            }
        }
        Set<String> named = new TreeSet<>();
        Matcher artifacts = ARTIFACT.matcher(bom.substring(bom.indexOf("<dependencyManagement>")));
        while (artifacts.find()) {
            named.add(artifacts.group(1));
        }
        assertThat(named).isEqualTo(published);
        assertThat(version(bom)).isEqualTo(version(root));
        assertThat(bom)
                .as("a parent would bring in the versions of other libraries")
                .doesNotContain("<parent>");
    }

    private static String version(String pom) {
        Matcher version = VERSION.matcher(pom);
        assertThat(version.find()).isTrue();
        return version.group(1);
    }

    private static String read(Path file) throws IOException {
        return Files.readString(Repository.root().resolve(file));
    }
}

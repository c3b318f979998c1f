package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The testkit depends on no test framework, because users choose their own. */
class DependenciesTest {

    @Test
    void theTestkitNeedsNothingButCore() throws Exception {
        assertThat(needed(Path.of("pom.xml"))).containsExactly("semel-core");
    }

    @Test
    void coreBringsNoTestFramework() throws Exception {
        assertThat(needed(Path.of("..", "core", "pom.xml")))
                .contains("jackson-databind")
                .noneMatch(artifact -> artifact.contains("junit") || artifact.contains("assertj"));
    }

    /** Returns the class path of a module's users. */
    private static List<String> needed(Path pom) throws Exception {
        NodeList dependencies = DocumentBuilderFactory.newDefaultInstance()
                .newDocumentBuilder()
                .parse(pom.toFile())
                .getElementsByTagName("dependency");
        List<String> needed = new ArrayList<>();
        for (int i = 0; i < dependencies.getLength(); i++) {
            Element dependency = (Element) dependencies.item(i);
            NodeList scope = dependency.getElementsByTagName("scope");
            if (scope.getLength() == 0 || !scope.item(0).getTextContent().equals("test")) {
                needed.add(dependency.getElementsByTagName("artifactId").item(0).getTextContent());
            }
        }
        return needed;
    }
}

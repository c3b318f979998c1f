package dev.semel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Links between pages have existing targets. Links to other sites are not followed, because the build needs no network.
 */
class LinksTest {

    @Test
    void everyRelativeLinkLeadsToAFileAndToAHeadingInIt() throws IOException {
        List<Page> pages = Repository.pages();
        Map<Path, Page> byFile = new HashMap<>();
        pages.forEach(page -> byFile.put(page.file(), page));
        List<String> broken = new ArrayList<>();
        int followed = 0;
        for (Page page : pages) {
            for (Page.Link link : page.links()) {
                if (!link.target().matches("[a-zA-Z][a-zA-Z0-9+.-]*:.*")) {
                    followed++;
                    String wrong = wrong(page, link.target(), byFile);
                    if (wrong != null) {
                        broken.add(page.name() + ":" + link.line() + ": " + link.target() + " " + wrong);
                    }
                }
            }
        }
        assertThat(followed).as("links that were followed").isPositive();
        assertThat(broken).as("links that lead nowhere").isEmpty();
    }

    /** Returns the problem of a link, or null. */
    private static String wrong(Page page, String target, Map<Path, Page> byFile) {
        int hash = target.indexOf('#');
        String path = hash < 0 ? target : target.substring(0, hash);
        if (path.startsWith("/")) {
            return "does not begin at its page";
        }
        Path file = path.isEmpty()
                ? page.file()
                : page.file().getParent().resolve(path).normalize();
        if (!Files.exists(file)) {
            return "is not there";
        }
        Page other = byFile.get(file);
        boolean found = hash < 0 || (other != null && other.anchors().contains(target.substring(hash + 1)));
        return found ? null : "has no such heading";
    }
}

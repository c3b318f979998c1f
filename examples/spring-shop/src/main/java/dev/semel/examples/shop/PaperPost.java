package dev.semel.examples.shop;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;

/** A post office for the example, which keeps the letters. It sends no letter twice under one token. */
@Component
class PaperPost implements Welcoming.Post {

    private final Set<String> tokens = ConcurrentHashMap.newKeySet();
    private final List<String> letters = new CopyOnWriteArrayList<>();

    @Override
    public void send(String token, String address, String letter) {
        if (tokens.add(token)) {
            letters.add(address + ": " + letter);
        }
    }

    List<String> letters() {
        return letters;
    }
}

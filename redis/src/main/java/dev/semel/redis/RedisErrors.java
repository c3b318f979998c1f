package dev.semel.redis;

import dev.semel.task.SemelException;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import java.util.Set;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** Translates errors of Redis. It uses the code at the start of an error, never its text. */
final class RedisErrors {

    // Codes of a server that will be able to answer later.
    private static final Set<String> PASSING = Set.of(
            "BUSY",
            "CLUSTERDOWN",
            "LOADING",
            "MASTERDOWN",
            "MISCONF",
            "NOREPLICAS",
            "OOM",
            "READONLY",
            "TRYAGAIN",
            "UNBLOCKED");

    private RedisErrors() {}

    static SemelException translated(JedisException e) {
        if (e instanceof JedisDataException data) {
            String message = data.getMessage() == null ? "" : data.getMessage();
            String code = message.split("[ :]", 2)[0];
            if (PASSING.contains(code)) {
                return new StoreUnavailable(
                        "Redis cannot run the command at this moment (" + code + "). Try" + " again.", e);
            }
            if (e instanceof JedisAccessControlException || code.equals("NOPERM")) {
                return new StoreUnusable(
                        "Redis refuses this user (" + code
                                + "). Set a user and password that may run EVAL, EVALSHA, GET,"
                                + " SET and TIME on the prefix.",
                        e);
            }
            return new StoreUnusable(
                    "Redis answered with " + code
                            + ". Use Redis 6.2 or later, or Valkey, and a prefix that nothing else" + " uses.",
                    e);
        }
        return new StoreUnavailable("Redis does not answer. Try again, and check the server if this persists.", e);
    }
}

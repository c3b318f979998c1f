package dev.semel.benchmarks;

import dev.semel.testservers.S3Server;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs the benchmarks of object storage on a server that it starts, in another process that has its credentials. Not part of the
 * build: {@code java -cp … dev.semel.benchmarks.ObjectBenchRun [--short] [measure…]} on the class path of the tests;
 * {@code -Dput.delay=N} in {@code JDK_JAVA_OPTIONS} changes the 50 ms that each PUT takes longer.
 */
final class ObjectBenchRun {

    private ObjectBenchRun() {}

    /**
     * Runs the benchmarks.
     *
     * @param arguments as for {@link Main}
     * @throws Exception if they failed
     */
    public static void main(String[] arguments) throws Exception {
        try (S3Server server = S3Server.start()) {
            int code = run(server, List.of(arguments)).inheritIO().start().waitFor();
            if (code != 0) {
                throw new IllegalStateException("The benchmarks exited with " + code);
            }
        }
    }

    static ProcessBuilder run(S3Server server, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx2g",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "--store",
                "s3://" + S3Server.BUCKET + "/bench?endpoint=" + server.endpoint()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("AWS_ACCESS_KEY_ID", S3Server.ACCESS_KEY);
        builder.environment().put("AWS_SECRET_ACCESS_KEY", S3Server.SECRET_KEY);
        return builder;
    }
}

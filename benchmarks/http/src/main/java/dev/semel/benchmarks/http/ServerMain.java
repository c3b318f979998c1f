package dev.semel.benchmarks.http;

import com.sun.management.OperatingSystemMXBean;
import dev.semel.server.SemelServer;
import dev.semel.server.http.ListenerSettings;
import dev.semel.sqlite.SqliteTaskStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.IntSupplier;

/**
 * A server in a process of its own: {@code ServerMain LIBRARY} or {@code ServerMain semel FILE}. It prints its port and how long the
 * JVM took until then, then answers each line with its figures, and exits when its input ends.
 */
final class ServerMain {

    private ServerMain() {}

    /**
     * Starts the server.
     *
     * @param arguments see above
     * @throws Exception if it cannot be started
     */
    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("semel")) {
            try (SemelServer server = SemelServer.on(SqliteTaskStore.open(Path.of(arguments[1])))
                    .listen(ListenerSettings.plain("127.0.0.1", 0))
                    .start()) {
                serve(server.port(), server::running);
            }
        } else {
            EmptyServer server = EmptyServer.on(Library.valueOf(arguments[0]));
            serve(server.port(), server::waiting);
            System.exit(0); // Requests that wait are not what is measured at the end.
        }
    }

    private static void serve(int port, IntSupplier waiting) throws IOException {
        long millis = System.currentTimeMillis()
                - ManagementFactory.getRuntimeMXBean().getStartTime();
        System.out.println(port + " " + millis);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("collect")) {
                System.gc();
            }
            System.out.println(figures(waiting));
        }
    }

    private static String figures(IntSupplier waiting) {
        return waiting.getAsInt()
                + " "
                + ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed()
                + " "
                + ManagementFactory.getThreadMXBean().getThreadCount()
                + " "
                + ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)
                        .getProcessCpuTime();
    }
}

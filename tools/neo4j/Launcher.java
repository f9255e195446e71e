// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;

/** Runs the Neo4j Community server with the settings of a file, until the process ends. */
public final class Launcher {
    private Launcher() {}

    public static void main(String[] arguments) throws InterruptedException {
        Path home = Path.of(arguments[0]);
        DatabaseManagementService service =
                new DatabaseManagementServiceBuilder(home)
                        .loadPropertiesFromFile(home.resolve("conf").resolve("neo4j.conf"))
                        .build();
        Runtime.getRuntime().addShutdownHook(new Thread(service::shutdown));
        System.out.println("started");
        Thread.currentThread().join();
    }
}

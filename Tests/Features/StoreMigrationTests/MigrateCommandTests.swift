import Foundation
import GRDB
import GatewayTestSupport
import TestSupport
import Testing

/// `selene migrate` as a process.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct MigrateCommandTests {
    private func events(_ text: String) -> [[String: Any]] {
        text.split(separator: "\n").compactMap {
            (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any]
        }
    }

    @Test(.slow) func `a migration that is killed again and again ends with equal stores`() async throws {
        let server = try #require(await PostgresServer.shared())
        let (home, uri) = (try SeleneHome(), try await server.database())
        _ = try await home.run(["ingest", try home.writeNotes(3000)])
        // Each of these actions has an entry in the history, too.
        let queue = try DatabaseQueue(path: home.database)
        try await queue.write { database in
            try database.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
                    INSERT INTO actions (uuid_id, title, log_time) SELECT 'a' || i, 'run', '2026-11-01' FROM n;
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
                    INSERT INTO gateway_push_events (at, kind) SELECT i, 'sent' FROM n;
                    """)
        }
        try queue.close()
        for kill in 0..<8 {
            let process = home.process(["migrate", "--to", uri, "--json"])
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            // At different places, wherever they are on this machine.
            try await Task.sleep(for: .milliseconds(150 + 130 * kill))
            Foundation.kill(process.processIdentifier, SIGKILL)
            try await waitUntil { !process.isRunning }
        }
        let last = try await home.run(["migrate", "--to", uri, "--json"])
        #expect(last.status == 0, "\(last.errors)")
        let summary = try #require(events(last.output).last)
        #expect(summary["equal"] as? Bool == true)
        #expect(summary["compared"] as? Int == 8000)
        #expect(summary["rows"] as? Int == 5000)
        let verified = try await home.run(["migrate", "--to", uri, "--verify"])
        #expect(verified.status == 0, "\(verified.errors)")
        #expect(verified.output.contains("8000 of 8000 rows are equal"), "\(verified.output)")
        // The notes answer from PostgreSQL.
        let found = try await home.run(["search", "潮 1234", "--mode", "keyword"], ["SELENE_STORE": uri])
        #expect(found.output.contains("note 1234"), "\(found.output) \(found.errors)")
    }

    @Test(.slow) func `the plan says what stays, the summary how to switch, and exit codes what was wrong`()
        async throws
    {
        let server = try #require(await PostgresServer.shared())
        let (home, uri) = (try SeleneHome(), try await server.database())
        #expect(try await home.run(["migrate", "--to", "other.sqlite"]).status == 64)
        let none = try await home.run(["migrate", "--to", uri])
        #expect(none.status == 64 && none.errors.contains("there is no notes database"), "\(none.errors)")
        #expect(!FileManager.default.fileExists(atPath: home.database))
        _ = try await home.run(["ingest", try home.writeNotes(3)])
        _ = try await home.run(["goals", "add", "walk daily"])
        let moved = try await home.run(["migrate", "--to", uri])
        #expect(moved.status == 0, "\(moved.errors)")
        #expect(moved.errors.contains("3 notes, 0 chat sessions with 0 messages"), "\(moved.errors)")
        #expect(
            moved.output.contains("rows are equal in both stores") && !moved.output.contains("differ")
                && moved.output.contains("SELENE_STORE"), "\(moved.output)")
        #expect(!(moved.output + moved.errors).contains(URLComponents(string: uri)?.password ?? uri))
        _ = try await home.run(["ingest", try home.writeNotes(4)])
        let differs = try await home.run(["migrate", "--to", uri, "--verify", "--json"])
        #expect(differs.status == 2, "\(differs.errors)")
        #expect(events(differs.output).last?["differences"] as? Int == 1)
        _ = try await home.run(["ingest", try home.writeNotes(5)], ["SELENE_STORE": uri])
        let refused = try await home.run(["migrate", "--to", uri])
        #expect(refused.status == 1 && refused.errors.contains("--overwrite"), "\(refused.errors)")
        let back = home.url.appending(path: "back.sqlite").path
        let returned = try await home.run(["migrate", "--from", uri, "--to", back, "--json"])
        #expect(returned.status == 0, "\(returned.errors)")
        #expect(events(returned.output).last?["notes"] as? Int == 5)
    }
}

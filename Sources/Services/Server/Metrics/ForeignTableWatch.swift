package import Logging
import ServiceLifecycle
package import Storage
import Synchronization

/// Counts the rows of other programs that reads skip or repair, and tells of triggers that were made anew.
package final class ForeignTableWatch: Service {
    /// How often the tables are looked at, if anything changed. A look reads every row.
    package static let interval = Duration.seconds(600)

    private let database: GatewayDatabase
    private let logger: Logger
    private let latest = Mutex(OddRowReport())

    package init(database: GatewayDatabase, logger: Logger) {
        self.database = database
        self.logger = logger
        database.observeTriggerRepairs { [logger] report in
            logger.warning(
                """
                another program changed its tables and our triggers were lost; they are in place again, and the queue \
                and the index follow
                """, metadata: ["triggers": "\(report)", "enqueued": "\(report.enqueued)"])
        }
    }

    /// Looks at the tables until graceful shutdown: at the start, and then while the notes change.
    package func run() async throws { await cancelWhenGracefulShutdown { await self.follow() } }

    private func follow() async {
        var seen: ChangeCursor?
        while !Task.isCancelled {
            do {
                let cursor = try await database.changes.pulse().cursor
                if cursor != seen { try await look() }
                seen = cursor
                try await Task.sleep(for: Self.interval)
            } catch is CancellationError {
                return
            } catch {
                logger.debug("the tables cannot be looked at", metadata: ["error": "\(error)"])
                try? await Task.sleep(for: .seconds(60))
            }
        }
    }

    /// Counts odd rows now.
    package func look() async throws {
        let report = try await OddRowReport.of(database, limit: 1)
        let before = latest.withLock { latest in
            defer { latest = report }
            return latest
        }
        guard report.counts != before.counts, !report.counts.isEmpty else { return }
        let columns = report.counts.map { "\($0.table).\($0.column): \($0.values)" }
        logger.warning(
            "values of other programs are skipped or repaired when they are read; `selene doctor` names the rows",
            metadata: ["values": "\(columns.joined(separator: ", "))"])
    }

    /// Writes the figures.
    package func write(to text: inout PrometheusText) {
        text.single(
            "selene_trigger_repairs_total", .counter,
            "Times that triggers lost to another program's change of its tables were made anew.",
            database.triggerRepairs)
        let report = latest.withLock { $0 }
        let name = "selene_foreign_odd_rows"
        text.family(
            name, .gauge, "Rows of other programs with a value that reads skip or repair, as of the last look.")
        for table in report.tables { text.sample(name, [("table", table)], report.rows[table] ?? 0) }
    }
}

package import Logging
import ServiceLifecycle
package import Storage
import Synchronization

/// Counts rows of other programs that reads skip or repair, and logs when triggers were recreated.
package final class ForeignTableWatch: Service {
    /// The interval between checks of changed tables. A check reads every row.
    package static let interval = Duration.seconds(600)

    let database: GatewayDatabase
    private let logger: Logger
    private let latest = Mutex(OddRowReport())
    /// What the last check found.
    var report: OddRowReport { latest.withLock { $0 } }

    package init(database: GatewayDatabase, logger: Logger) {
        self.database = database
        self.logger = logger
        database.observeTriggerRepairs { [logger] report in
            logger.warning(
                """
                another program changed its tables and removed our triggers; they were recreated, and the queue and \
                the index were updated
                """, metadata: ["triggers": "\(report)", "enqueued": "\(report.enqueued)"])
        }
    }

    /// Checks the tables until graceful shutdown: at the start, and then whenever the notes changed.
    package func run() async throws { await cancelWhenGracefulShutdown { await self.follow() } }

    private func follow() async {
        var seen: ChangeCursor?
        while !Task.isCancelled {
            do {
                let cursor = try await database.changes.changeState().cursor
                if cursor != seen { try await check() }
                seen = cursor
                try await Task.sleep(for: Self.interval)
            } catch is CancellationError {
                return
            } catch {
                logger.debug("the tables cannot be checked", metadata: ["error": "\(error)"])
                try? await Task.sleep(for: .seconds(60))
            }
        }
    }

    /// Counts odd rows now.
    package func check() async throws {
        let report = try await OddRowReport.of(database, limit: 1)
        let before = latest.withLock { latest in
            defer { latest = report }
            return latest
        }
        guard report.counts != before.counts, !report.counts.isEmpty else { return }
        let columns = report.counts.map { "\($0.table).\($0.column): \($0.values)" }
        logger.warning(
            "values of other programs are skipped or repaired on read; `selene doctor` names the rows",
            metadata: ["values": "\(columns.joined(separator: ", "))"])
    }
}

import Foundation
import Gateway
import GatewayAPI
import Storage

/// Checks the database file, its triggers, and rows that other programs wrote.
enum DatabaseChecks {
    /// The check that runs before the database is opened.
    static func file(_ path: String) -> Check {
        Check(name: "database") {
            guard FileManager.default.fileExists(atPath: path) else {
                return [
                    .warning(
                        "database", "no database at \(path) yet", remedy: "selene ingest FOLDER, or selene serve")
                ]
            }
            let found: DatabaseInspection
            do {
                found = try await DatabaseInspection.of(path)
            } catch let error as StorageError where error.code == .corrupt {
                return [.problem("database", error.message, remedy: "selene restore BACKUP --replace")]
            }
            guard found.damage.isEmpty else {
                return [
                    .problem(
                        "database", "\(path) is damaged: \(found.damage.prefix(3).joined(separator: "; "))",
                        remedy: "selene restore BACKUP --replace; without a backup: sqlite3 \(ShellWord.of(path)) "
                            + "\".recover\" | sqlite3 recovered.sqlite")
                ]
            }
            return [.ok("database", "\(path) is whole, \(found.bytes / 1_000_000) MB")] + references(found)
                + clock(found)
        }
    }

    private static func references(_ found: DatabaseInspection) -> [Finding] {
        guard !found.brokenReferences.isEmpty else { return [.ok("references", "all lead to a row")] }
        let tables = found.brokenReferences.sorted { $0.key < $1.key }.map { "\($0.value) in \($0.key)" }
        return [
            .warning(
                "references", "rows that refer to missing rows: \(tables.joined(separator: ", "))",
                remedy: "list them: sqlite3 FILE \"PRAGMA foreign_key_check\"; the gateway does not change them")
        ]
    }

    private static func clock(_ found: DatabaseInspection) -> [Finding] {
        let now = Int64(Date.now.timeIntervalSince1970)
        // 2026-01-01, the year in which this check was written.
        if now < 1_767_225_600 {
            return [
                .problem(
                    "clock", "it says \(Timestamp.text(now)): keys, certificates and dates of notes will be wrong",
                    remedy: "set the clock: timedatectl set-ntp true")
            ]
        }
        if let latest = found.latestTime, latest > now + 86_400 {
            return [
                .warning(
                    "clock", "it says \(Timestamp.text(now)), but the database was used at \(Timestamp.text(latest))",
                    remedy: "if the clock is behind: timedatectl set-ntp true")
            ]
        }
        return [.ok("clock", "\(Timestamp.text(now)) UTC")]
    }

    /// The checks that need an open database.
    static func open(_ database: GatewayDatabase) -> [Check] {
        [
            Check(name: "triggers") { try await triggers(database) },
            Check(name: "odd rows", isSlow: true) { try await oddRows(database) },
        ]
    }

    private static func triggers(_ database: GatewayDatabase) async throws -> [Finding] {
        let report = try await database.inspectTriggers()
        guard !report.isHealthy else { return [.ok("triggers", "all are in place")] }
        return [
            .problem(
                "triggers", "\(report.description); new and changed notes go unnoticed",
                remedy: "selene serve repairs them at start", fix: { _ = try await database.repairTriggers() })
        ]
    }

    private static func oddRows(_ database: GatewayDatabase) async throws -> [Finding] {
        let report = try await OddRowReport.of(database, limit: 1)
        guard !report.counts.isEmpty else { return [.ok("odd rows", "none")] }
        let columns = report.counts.map { "\($0.values) in \($0.table).\($0.column)" }
        return [
            .warning(
                "odd rows", "values of an unexpected type: \(columns.joined(separator: ", "))",
                remedy: "correct them in the program that wrote them; the gateway skips them or reads them as empty")
        ]
    }
}

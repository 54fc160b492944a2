import Database
package import GatewayAPI
package import GoalRoom
import Goals
import Schedules
import Storage
import Synchronization
import Text

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension GoalService {
    /// Bytes of an import at most.
    package static let maxImport = 64 << 20
    /// Actions of a CSV export at most.
    static let maxExportedActions = 1_000_000

    /// The columns of a CSV file, in the order of an export. Only `day` and one of the others are needed for an import.
    static let csvColumns = [
        "id", "day", "title", "amounts", "duration_minutes", "start_time", "description", "notes", "log_time", "zone",
        "day_start",
    ]

    /// Everything as JSON lines, or the actions as CSV, in parts.
    package func export(asCSV: Bool) async throws -> [String] {
        guard asCSV else { return try await store.transfer.export() }
        var parts = [CSV.line(Self.csvColumns)]
        var count = 0
        var cursor: PageCursor?
        repeat {
            let page = try await store.actions.list(ActionFilter(), after: cursor, limit: 500)
            parts.append(page.items.map { CSV.line(Self.fields(of: $0)) }.joined())
            count += page.items.count
            cursor = page.next
        } while cursor != nil && count < Self.maxExportedActions
        return parts
    }

    private static func fields(of action: ActionRecord) -> [String] {
        [
            action.id, action.day, action.title ?? "",
            action.amounts.map { "\($0.amount) \($0.unit)" }.joined(separator: "; "),
            action.durationMinutes.map { "\($0)" } ?? "", action.startTime ?? "", action.description ?? "",
            action.notes ?? "", action.logTime, action.zone, "\(action.dayStart)",
        ]
    }

    /// Imports an export of ours, CSV, or a database of the original app; the first bytes say which.
    ///
    /// Rows are added in short transactions, so others write meanwhile. What was added stays when an import breaks off; the
    /// same import again adds the rest.
    ///
    /// - Throws: ``StorageError/Code/busy`` while another import runs.
    package func importAll(_ bytes: [UInt8], _ context: GoalContext) async throws -> GoalImportReport {
        guard imports.begin() else {
            throw StorageError(.busy, "another import of goals is running; send this one when it is done")
        }
        defer { imports.end() }
        let report: GoalImport
        let format: String
        if bytes.starts(with: Array("SQLite format 3\0".utf8)) {
            (report, format) = try await importDatabase(bytes, context)
        } else if bytes.first(where: { $0 > 0x20 && $0 < 0x80 }) == UInt8(ascii: "{") {
            (report, format) = (try await store.transfer.importLines(bytes, context), "jsonl")
        } else {
            (report, format) = (try await importCSV(bytes, context), "csv")
        }
        return GoalImportReport(
            format: format, added: report.added, same: report.same, refused: report.refused,
            refusals: report.refusals, turn: context.turn)
    }

    private func importDatabase(
        _ bytes: [UInt8], _ context: GoalContext
    ) async throws -> (GoalImport, String) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "selene-goals-\(newID())")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "import.sqlite")
        try Data(bytes).write(to: file)
        let read = try await OriginalDatabase.rows(at: file.path)
        return (try await store.transfer.importRows(read.rows, context), read.format)
    }

    private func importCSV(_ bytes: [UInt8], _ context: GoalContext) async throws -> GoalImport {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw InvalidFields("body", expected: "UTF-8", got: "other bytes")
        }
        var lines = CSVReader(Array(text.utf8), maxFields: Self.csvColumns.count + 1)
        guard let first = lines.next() else {
            throw InvalidFields("body", expected: "a line of names", got: "nothing")
        }
        let names = first.map { $0.lowercased() }
        if let unknown = names.first(where: { !Self.csvColumns.contains($0) }) {
            throw InvalidFields("body", expected: "columns \(Self.csvColumns.joined(separator: ", "))", got: unknown)
        }
        guard names.contains("day"), Set(names).count == names.count else {
            throw InvalidFields("body", expected: "a column day, each column once", got: names.joined(separator: ","))
        }
        var report = GoalImport()
        var actions: [(action: ActionRecord, at: Instant)] = []
        var number = 1
        while let fields = lines.next() {
            number += 1
            if number.isMultiple(of: 256) {
                try Task.checkCancellation()
                await Task.yield()
            }
            guard number <= GoalTransferStore.maxRows + 1 else {
                throw StorageError(.invalid, GoalTransferStore.tooManyRows)
            }
            let values = Dictionary(
                zip(names, fields).filter { !$0.1.isEmpty }, uniquingKeysWith: { first, _ in first })
            do {
                guard fields.count == names.count else {
                    throw InvalidFields("line", expected: "\(names.count) fields", got: "\(fields.count)")
                }
                actions.append(try action(values, line: number))
            } catch let error as InvalidFields {
                report.refuse("line", "\(number)", error.description)
            }
        }
        return try await store.transfer.importActions(actions, report, context)
    }

    private func action(
        _ values: [String: String], line: Int
    ) throws(InvalidFields) -> (action: ActionRecord, at: Instant) {
        func number(_ name: String) throws(InvalidFields) -> Double? {
            guard let text = values[name] else { return nil }
            guard let number = Double(text), number.isFinite else {
                throw InvalidFields(name, expected: "a number", got: text)
            }
            return number
        }
        let start = try number("day_start").flatMap { Int(exactly: $0) }
        let rule = try rule(zone: values["zone"], dayStart: start)
        let day = try LocalDay(checking: values["day"] ?? "", "day")
        guard day <= today(rule) else {
            throw InvalidFields("day", expected: "today (\(today(rule))) or earlier", got: "\(day)")
        }
        var amounts: [GoalAmount] = []
        for part in (values["amounts"] ?? "").split(separator: ";") {
            let words = part.split(separator: " ", maxSplits: 1)
            guard words.count == 2, let amount = Double(words[0]) else {
                throw InvalidFields("amounts", expected: "such as 5 km; 2 sets", got: String(part))
            }
            amounts.append(GoalAmount(amount: amount, unit: String(words[1])))
        }
        // Without an id, the same line of the same file is the same action.
        let id = values["id"] ?? Self.id(of: values, line: line)
        var record = ActionRecord(
            id: id, logTime: values["log_time"] ?? logTime, day: day.description, zone: rule.zone.name,
            dayStart: rule.startMinute, version: 0)
        (record.title, record.description, record.notes) = (values["title"], values["description"], values["notes"])
        (record.amounts, record.durationMinutes) = (amounts, try number("duration_minutes"))
        record.startTime = values["start_time"]
        _ = try record.checked()
        let at = values["start_time"].flatMap { GoalTime.instant($0, in: rule.zone) }
        return (record, at ?? rule.instant(of: day, minute: 720))
    }

    private static func id(of values: [String: String], line: Int) -> String {
        let text = values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "\n")
        return NamedID.uuid("csv \(line)\n\(text)")
    }
}

/// Lets one import run at a time.
final class ImportGate: Sendable {
    private let isRunning = Mutex(false)

    /// Whether the caller may import; it calls ``end()`` then.
    func begin() -> Bool {
        isRunning.withLock { isRunning in
            defer { isRunning = true }
            return !isRunning
        }
    }

    func end() { isRunning.withLock { $0 = false } }
}

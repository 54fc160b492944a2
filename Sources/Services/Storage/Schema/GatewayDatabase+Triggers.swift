import GRDB
import Synchronization

/// Triggers tell us what another program writes. Its rebuild of a table (new table, copy, drop, rename) drops them with the
/// old table, so they are compared with what the file needs at open and whenever its schema changes.
extension GatewayDatabase {
    /// How long vectors of notes that are gone are kept after a repair, in milliseconds.
    ///
    /// A rebuild that does not run in one transaction leaves the table empty for a while; to embed all notes anew
    /// takes hours.
    static let sweepDelay: Int64 = 30_000
    static let sweepKey = "sweep_due"
    /// Has a random value from a repair until the notes that were written unseen are enqueued.
    static let enqueuingKey = "enqueuing_due"

    /// How often triggers were found missing or altered and made anew, since this object was created.
    public var triggerRepairs: Int { triggers.state.withLock { $0.repairs } }

    /// Calls a closure after each repair of triggers, also those that happened before this call.
    public func observeTriggerRepairs(_ body: @escaping @Sendable (TriggerReport) -> Void) {
        let unheard = triggers.state.withLock { state in
            defer { state.unheard = [] }
            state.observer = body
            return state.unheard
        }
        for report in unheard { body(report) }
    }

    /// Compares the file's triggers with those that it needs; changes nothing.
    ///
    /// - Throws: ``StorageError``.
    public func inspectTriggers() async throws -> TriggerReport { try await read { try Triggers.inspect($0) } }

    /// Makes missing and altered triggers anew, reconciles the queue and the change log with the notes, and deletes the
    /// vectors of notes that are gone, in one transaction.
    ///
    /// - Returns: What was wrong before; ``TriggerReport/isRepaired`` is false when nothing was.
    /// - Throws: ``StorageError``.
    public func repairTriggers() async throws -> TriggerReport {
        let (report, version) = try await write { database in
            var report = try Triggers.repair(database)
            try Triggers.enqueueIfDue(database, &report)
            try Triggers.sweep(database)
            return (report, try FileLayout.version(database))
        }
        if settle(report, version) { triggers.report(report) }
        return report
    }

    /// Looks whether the schema is another one than at the last look, and whether the triggers are still in place; then
    /// waits until the notes that a repair found unembedded are in the queue. One small query as long as the schema stays.
    ///
    /// - Throws: ``StorageError``.
    public func keepTriggers() async throws {
        _ = try await keepTriggers(schemaVersion: try await read { try FileLayout.version($0) })
        await triggers.state.withLock { $0.enqueuing }?.value
    }

    /// Repairs what is wrong in one short transaction. The queue follows in the background: hashing every note would keep
    /// readers and other writers waiting.
    ///
    /// - Returns: Whether triggers may have been missing in the snapshot that had this version: what it says of the change
    ///   log is not all that was committed. This process or another has made them anew since.
    func keepTriggers(schemaVersion: Int64) async throws -> Bool {
        guard triggers.isOn else { return false }
        let (verified, hasSweep) = triggers.state.withLock { ($0.verified, $0.hasSweep) }
        if hasSweep { try await sweepIfDue() }
        guard verified != schemaVersion else { return false }
        let (report, version) = try await read { (try Triggers.inspect($0), try FileLayout.version($0)) }
        if report.isHealthy {
            triggers.state.withLock { $0.verified = version }
            return version != schemaVersion
        }
        // Another process may repair at the same moment; the second one finds the work done.
        let (repair, after) = try await write { (try Triggers.repair($0), try FileLayout.version($0)) }
        if settle(repair, after) { enqueueInBackground(repair) }
        return true
    }

    /// The same at open, before anything else is read.
    func verifyTriggers() throws {
        guard triggers.isOn else { return }
        let (isWell, version, hasSweep) = try pool.read { database in
            let isWell = try Triggers.inspect(database).isHealthy && !Triggers.isEnqueuingDue(database)
            return (isWell, try FileLayout.version(database), try Triggers.sweepDue(database) != nil)
        }
        triggers.state.withLock { $0.hasSweep = hasSweep }
        guard !isWell else { return triggers.state.withLock { $0.verified = version } }
        let (repair, after) = try pool.write { database in
            var report = try Triggers.repair(database)
            try Triggers.enqueueIfDue(database, &report)
            return (report, try FileLayout.version(database))
        }
        if settle(repair, after) { triggers.report(repair) }
    }

    /// - Returns: Whether this was a repair; it is counted then.
    private func settle(_ report: TriggerReport, _ version: Int64) -> Bool {
        triggers.state.withLock { state in
            state.verified = version
            state.hasSweep = state.hasSweep || report.isRepaired
            if report.isRepaired { state.repairs += 1 }
        }
        return report.isRepaired
    }

    /// Enqueues what was written unseen, one repair after the other, and reports it. When it fails, the file still says
    /// that it is due, and the next repair or the next open does it.
    private func enqueueInBackground(_ report: TriggerReport) {
        triggers.state.withLock { state in
            state.enqueuing = Task.detached { [self, before = state.enqueuing] in
                await before?.value
                var report = report
                report.enqueued = (try? await enqueueUnseen()) ?? 0
                triggers.report(report)
            }
        }
    }

    private func enqueueUnseen() async throws -> Int {
        let (due, spaces) = try await read { database, layout in
            guard layout.columns.raw.contains("id") else { return (String?.none, [Int64]()) }
            return (try Triggers.enqueuingDue(database), try Triggers.filledSpaces(database))
        }
        guard let due else { return 0 }
        var enqueued = 0
        for space in spaces { enqueued += try await queue.enqueuePending(in: space) }
        // A repair since then has another value: its notes are not enqueued yet.
        try await writeRelaxed { database in
            try database.execute(
                sql: "DELETE FROM gateway_meta WHERE key = ? AND value = ?", arguments: [Self.enqueuingKey, due])
        }
        return enqueued
    }

    private func sweepIfDue() async throws {
        let now = Timestamp.milliseconds
        let due = try await read { try Triggers.sweepDue($0) }
        // A time far ahead is of a clock that was set back since.
        if let due, due > now, due <= now + Self.sweepDelay { return }
        if due != nil { try await write { try Triggers.sweep($0) } }
        triggers.state.withLock { $0.hasSweep = false }
    }
}

/// The work on triggers within a transaction.
enum Triggers {
    /// Compares what is there with what is wanted. A file of a later version keeps that version's triggers.
    static func inspect(_ database: Database) throws -> TriggerReport {
        var report = TriggerReport()
        guard try !WriterVersion.isSuperseded(database) else { return report }
        let wanted = WantedTriggers(try FileLayout(database, version: 0)).all
        let found = try stored(database)
        for trigger in wanted {
            switch found[trigger.name] {
            case nil: report.missing.append(trigger.name)
            case trigger.sql: break
            default: report.altered.append(trigger.name)
            }
        }
        let names = Set(wanted.map(\.name))
        for name in found.keys.sorted() where !names.contains(name) {
            // One of ours that the tables no longer carry would make writes fail.
            if WantedTriggers.knownNames.contains(name) {
                report.altered.append(name)
            } else {
                report.unexpected.append(name)
            }
        }
        return report
    }

    /// Makes triggers anew where they are missing or altered, cuts the change log off, and notes that the queue and the
    /// vectors are to be reconciled. Takes about the same time for any number of notes.
    static func repair(_ database: Database) throws -> TriggerReport {
        var report = try inspect(database)
        guard !report.isHealthy else { return report }
        try replaceAll(database)
        try cutLog(database)
        report.isRepaired = true
        return report
    }

    /// Drops every trigger of ours and makes the wanted ones.
    static func replaceAll(_ database: Database) throws {
        for name in try stored(database).keys where WantedTriggers.knownNames.contains(name) {
            try database.execute(sql: "DROP TRIGGER IF EXISTS \(name.quotedDatabaseIdentifier)")
        }
        for trigger in WantedTriggers(try FileLayout(database, version: 0)).all {
            try database.execute(sql: trigger.sql)
        }
    }

    /// Cuts the change log off, so that every reader compares all notes with what it knows, and notes what else is due.
    static func cutLog(_ database: Database) throws {
        // Two rows, of which one goes: no cursor of a reader lies right before the one that stays.
        try database.execute(
            sql: """
                INSERT INTO gateway_changes (note_id) VALUES (-1);
                INSERT INTO gateway_changes (note_id) VALUES (random());
                DELETE FROM gateway_changes WHERE seq < (SELECT max(seq) FROM gateway_changes);
                """)
        for (key, value) in [
            (GatewayDatabase.enqueuingKey, String(UInt64.random(in: 0 ... .max), radix: 16)),
            (GatewayDatabase.sweepKey, String(Timestamp.milliseconds + GatewayDatabase.sweepDelay)),
        ] {
            try database.execute(
                sql: "INSERT OR REPLACE INTO gateway_meta (key, value) VALUES (?, ?)", arguments: [key, value])
        }
    }

    /// Enqueues what was written unseen, within the transaction.
    static func enqueueIfDue(_ database: Database, _ report: inout TriggerReport) throws {
        let layout = try FileLayout(database, version: 0)
        guard try isEnqueuingDue(database), layout.columns.raw.contains("id") else { return }
        for space in try filledSpaces(database) {
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO gateway_embedding_queue (space_id, note_id)
                    SELECT ?1, n.id \(layout.columns.pending)
                    """, arguments: [space])
            report.enqueued += database.changesCount
        }
        try database.execute(
            sql: "DELETE FROM gateway_meta WHERE key = ?", arguments: [GatewayDatabase.enqueuingKey])
    }

    static func isEnqueuingDue(_ database: Database) throws -> Bool { try enqueuingDue(database) != nil }

    /// The value of the latest repair whose notes are not enqueued; nil when all are.
    static func enqueuingDue(_ database: Database) throws -> String? {
        try Scalar.text(
            database, sql: "SELECT value FROM gateway_meta WHERE key = ?", arguments: [GatewayDatabase.enqueuingKey])
    }

    /// The spaces whose queue is kept.
    static func filledSpaces(_ database: Database) throws -> [Int64] {
        try Scalar.integers(database, sql: "SELECT id FROM gateway_spaces WHERE is_filled = 1")
    }

    /// When vectors of notes that are gone are to be deleted, in milliseconds since 1970; nil when none are.
    static func sweepDue(_ database: Database) throws -> Int64? {
        try Scalar.integer(
            database, sql: "SELECT value FROM gateway_meta WHERE key = ?", arguments: [GatewayDatabase.sweepKey])
    }

    /// Deletes what belongs to notes that are gone. Nothing is deleted while there is no table of notes.
    static func sweep(_ database: Database) throws {
        guard try FileLayout(database, version: 0).columns.raw.contains("id") else { return }
        for table in ["gateway_embeddings", "gateway_passages", "gateway_embedding_queue", "gateway_note_sources"] {
            try database.execute(
                sql: """
                    DELETE FROM \(table)
                    WHERE NOT EXISTS (SELECT 1 FROM raw_notes n WHERE n.id = \(table).note_id)
                    """)
        }
        try database.execute(
            sql: "DELETE FROM gateway_meta WHERE key = ?", arguments: [GatewayDatabase.sweepKey])
    }

    private static func stored(_ database: Database) throws -> [String: String] {
        let rows = try Row.fetchCursor(
            database,
            sql: "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'gateway\\_%' ESCAPE '\\'")
        var found: [String: String] = [:]
        while let row = try rows.next() { found[row.text(0) ?? ""] = row.text(1) ?? "" }
        return found
    }
}

import GRDB
import GatewayAPI
import GoalRoom
import Synchronization

/// Checks and repairs our triggers, which record what another program writes. When that program rebuilds a table (new
/// table, copy, drop, rename), SQLite drops the triggers with the old table. So triggers are compared with those needed
/// at open and whenever the schema changes.
extension GatewayDatabase {
    /// How long to keep vectors of deleted notes after a repair, in milliseconds.
    ///
    /// A rebuild outside one transaction leaves the table empty for a while; embedding all notes again takes hours.
    static let sweepDelay: Int64 = 30_000
    /// The pause before all notes are compared with their vectors, in which answers after the table rebuild have the
    /// cores for themselves.
    static let enqueuingPause = Duration.milliseconds(500)
    static let sweepKey = "sweep_due"
    /// Holds a random value from a repair until the notes changed without triggers are enqueued.
    static let enqueuingKey = "enqueuing_due"

    /// The number of trigger repairs since this object was created.
    package var triggerRepairs: Int { triggers.state.withLock { $0.repairs } }

    /// Calls a closure after each trigger repair, and for repairs that happened before this call.
    package func observeTriggerRepairs(_ body: @escaping @Sendable (TriggerReport) -> Void) {
        let unheard = triggers.state.withLock { state in
            defer { state.unheard = [] }
            state.observer = body
            return state.unheard
        }
        for report in unheard { body(report) }
    }

    /// Compares the file's triggers with the required ones; changes nothing.
    ///
    /// - Throws: ``StorageError``.
    package func inspectTriggers() async throws -> TriggerReport { try await read { try Triggers.inspect($0) } }

    /// Recreates missing and altered triggers, reconciles the queue and the change log with the notes, and deletes
    /// vectors of deleted notes, in one transaction.
    ///
    /// - Returns: The faults found; ``TriggerReport/isRepaired`` is false when there were none.
    /// - Throws: ``StorageError``.
    package func repairTriggers() async throws -> TriggerReport {
        let (report, version) = try await write { database in
            var report = try Triggers.repair(database)
            try Triggers.enqueueIfDue(database, &report)
            try Triggers.sweep(database)
            return (report, try FileLayout.version(database))
        }
        if recordRepair(report, version) { triggers.report(report) }
        return report
    }

    /// Repairs triggers if the schema changed since the last check, then waits until the notes found by a repair are
    /// enqueued. Costs one small query while the schema stays the same.
    ///
    /// - Throws: ``StorageError``.
    package func keepTriggers() async throws {
        _ = try await keepTriggers(schemaVersion: try await read { try FileLayout.version($0) })
        await triggers.state.withLock { $0.enqueuing }?.value
    }

    /// Repairs triggers in one short transaction. The queue follows in the background, since hashing every note would
    /// block readers and other writers. A power cut may lose the repair; the next open makes it again. Waiting for the
    /// disk here would first write out the other program's whole rebuild.
    ///
    /// - Returns: Whether triggers may have been missing in the snapshot with this version. The change log of that
    ///   snapshot may then lack commits; the triggers have been recreated since.
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
        // Another process may repair at the same time; the second repair finds nothing to do.
        let (repair, after) = try await writeBeforeCheckpoint { (try Triggers.repair($0), try FileLayout.version($0)) }
        if recordRepair(repair, after) { enqueueInBackground(repair) }
        return true
    }

    /// Verifies and repairs triggers at open, before anything else is read.
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
        if recordRepair(repair, after) { triggers.report(repair) }
    }

    /// - Returns: Whether the report is of a repair; if so, counts it.
    private func recordRepair(_ report: TriggerReport, _ version: Int64) -> Bool {
        triggers.state.withLock { state in
            state.verified = version
            state.hasSweep = state.hasSweep || report.isRepaired
            if report.isRepaired { state.repairs += 1 }
        }
        return report.isRepaired
    }

    /// Enqueues notes changed without triggers, one repair at a time, and reports the repair. After a failure the file
    /// keeps its due mark, and the next repair or open enqueues them.
    private func enqueueInBackground(_ report: TriggerReport) {
        triggers.state.withLock { state in
            state.enqueuing = Task.detached { [self, before = state.enqueuing] in
                await before?.value
                try? await Task.sleep(for: Self.enqueuingPause)
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
        // A later repair has another value: its notes are not enqueued yet.
        try await writeRelaxed { database in
            try database.execute(
                sql: "DELETE FROM gateway_meta WHERE key = ? AND value = ?", arguments: [Self.enqueuingKey, due])
        }
        return enqueued
    }

    private func sweepIfDue() async throws {
        let now = Timestamp.milliseconds
        let due = try await read { try Triggers.sweepDue($0) }
        // A time far in the future comes from a clock that was set back since.
        if let due, due > now, due <= now + Self.sweepDelay { return }
        if due != nil { try await write { try Triggers.sweep($0) } }
        triggers.state.withLock { $0.hasSweep = false }
    }
}

/// Inspects and repairs triggers within a transaction.
enum Triggers {
    /// Compares the file's triggers with the required ones. A file of a later version keeps that version's triggers.
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
            // An obsolete trigger of ours could make the other program's writes fail.
            if WantedTriggers.knownNames.contains(name) {
                report.altered.append(name)
            } else {
                report.unexpected.append(name)
            }
        }
        return report
    }

    /// Recreates the triggers that are missing or altered. Then reads the messages again if one of theirs was, brings
    /// the history of goals up to date if one of its was, truncates the log of memories if one of theirs was, and
    /// truncates the change log and marks queue and vectors for reconciliation if another was. Takes about the same time for any number of notes.
    static func repair(_ database: Database) throws -> TriggerReport {
        var report = try inspect(database)
        guard !report.isHealthy else { return report }
        let faults = Set(report.missing + report.altered)
        try replace(database, faults)
        let ofMessages = Set(SessionMessageIndex.triggers.map(\.name))
        if !faults.isDisjoint(with: ofMessages) {
            try SessionMessageIndex.fill(database, try FileSchema(database))
        }
        if !faults.isDisjoint(with: GoalTriggers.names) {
            try GoalBaseline.reconcile(database, try GoalSchema(SQLiteSession(database)))
        }
        if !faults.isDisjoint(with: MemoryLog.names) { try MemoryLog.cut(database, try FileSchema(database)) }
        if !faults.isSubset(of: ofMessages.union(GoalTriggers.names).union(MemoryLog.names)) { try cutLog(database) }
        report.isRepaired = true
        return report
    }

    /// Drops all our triggers and creates the required ones.
    static func replaceAll(_ database: Database) throws { try replace(database, WantedTriggers.knownNames) }

    /// Drops our triggers of these names and creates the required ones among them.
    private static func replace(_ database: Database, _ names: Set<String>) throws {
        for name in try stored(database).keys where names.contains(name) {
            try database.execute(sql: "DROP TRIGGER IF EXISTS \(name.quotedDatabaseIdentifier)")
        }
        for trigger in WantedTriggers(try FileLayout(database, version: 0)).all where names.contains(trigger.name) {
            try database.execute(sql: trigger.sql)
        }
    }

    /// Truncates the change log, so that every reader compares all notes with what it knows. Marks enqueuing and
    /// sweeping as due.
    static func cutLog(_ database: Database) throws {
        // Inserts two rows and deletes the first, so that no reader's cursor lies right before the remaining row.
        try database.execute(
            sql: """
                INSERT INTO gateway_changes (note_id) VALUES (-1);
                INSERT INTO gateway_changes (note_id) VALUES (random());
                DELETE FROM gateway_changes WHERE seq < (SELECT max(seq) FROM gateway_changes);
                """)
        try Reconciliation.forgetAll(database)
        for (key, value) in [
            (GatewayDatabase.enqueuingKey, String(UInt64.random(in: 0 ... .max), radix: 16)),
            (GatewayDatabase.sweepKey, String(Timestamp.milliseconds + GatewayDatabase.sweepDelay)),
        ] {
            try database.execute(
                sql: "INSERT OR REPLACE INTO gateway_meta (key, value) VALUES (?, ?)", arguments: [key, value])
        }
    }

    /// Enqueues notes changed without triggers, within the transaction.
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

    /// Returns the value of the latest repair whose notes are not enqueued yet; nil when all are.
    static func enqueuingDue(_ database: Database) throws -> String? {
        try Scalar.text(
            database, sql: "SELECT value FROM gateway_meta WHERE key = ?", arguments: [GatewayDatabase.enqueuingKey])
    }

    /// Returns the spaces that are being filled.
    static func filledSpaces(_ database: Database) throws -> [Int64] {
        try Scalar.integers(database, sql: "SELECT id FROM gateway_spaces WHERE is_filled = 1")
    }

    /// Returns when to delete vectors of deleted notes, in milliseconds since 1970; nil when no sweep is due.
    static func sweepDue(_ database: Database) throws -> Int64? {
        try Scalar.integer(
            database, sql: "SELECT value FROM gateway_meta WHERE key = ?", arguments: [GatewayDatabase.sweepKey])
    }

    /// Deletes our rows of deleted notes. Deletes nothing while the table of notes is missing.
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

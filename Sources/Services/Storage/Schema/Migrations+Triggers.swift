import GRDB

extension Migrations {
    /// Installs triggers that accept any value of the other program. From this step on ``WantedTriggers`` has their
    /// text, and every process compares the file with it. Earlier versions did not check triggers, so this step
    /// reconciles lost changes.
    static func renewTriggers(_ database: Database) throws {
        let found = try Scalar.texts(database, sql: "SELECT name FROM sqlite_master WHERE type = 'trigger'")
        let wasComplete = WantedTriggers(try FileLayout(database, version: 0)).all.allSatisfy { trigger in
            found.contains(trigger.name) || trigger.name == "gateway_note_moved"
        }
        try Triggers.replaceAll(database)
        guard !wasComplete else { return }
        var report = TriggerReport()
        try Triggers.cutLog(database)
        try Triggers.enqueueIfDue(database, &report)
    }
}

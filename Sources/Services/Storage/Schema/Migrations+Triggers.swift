import GRDB

extension Migrations {
    /// Triggers that take any value of the other program's. From this step on ``WantedTriggers`` has their text, and every
    /// process compares the file with it; an earlier version never looked, so what it lost is reconciled here.
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

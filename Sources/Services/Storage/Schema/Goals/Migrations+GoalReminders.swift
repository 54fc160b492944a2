import GRDB
import GoalRoom

extension Migrations {
    /// When goals remind of themselves: a time such as `19:30`, and the weekdays as a JSON list, NULL for all.
    ///
    /// Its triggers are made here: triggers that are found missing later cost a comparison of all tables with their history.
    static func goalReminders(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE gateway_goal_reminders (
                    goal_id TEXT PRIMARY KEY NOT NULL,
                    at TEXT NOT NULL,
                    weekdays TEXT
                )
                """)
        let names = ["in", "up", "out"].map { "gateway_goal_reminder_\($0)" }
        for trigger in GoalTriggers.all(try GoalSchema(SQLiteSession(database))) where names.contains(trigger.name) {
            try database.execute(sql: trigger.sql)
        }
    }
}

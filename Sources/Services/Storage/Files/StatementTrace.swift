import GRDB

/// Observes the statements that databases run, for tests and measurements.
package enum StatementTrace {
    /// A statement as it begins.
    package struct Event: Sendable, Hashable {
        /// SQL without the values of its parameters. A statement of a trigger is a comment with the trigger's name.
        package var sql: String
        /// Whether its connection can write.
        package var isWriter: Bool
    }

    /// Gets each statement of databases that are opened within `withValue`, on SQLite's queues; nil for no observer.
    @TaskLocal package static var observer: (@Sendable (Event) -> Void)?

    /// Lets the observer of the current task see a connection's statements.
    static func preparation(observer: (@Sendable (Event) -> Void)? = observer) -> @Sendable (Database) -> Void {
        { database in
            guard let observer else { return }
            let isWriter = !database.configuration.readonly
            database.trace { event in
                if case .statement(let statement) = event { observer(Event(sql: statement.sql, isWriter: isWriter)) }
            }
        }
    }
}

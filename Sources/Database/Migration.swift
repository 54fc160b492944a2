/// A step of the schema, written once for both engines. A released step is never edited.
package struct Migration: Sendable {
    /// The step's name, unique among all steps: `gateway-37-job-leases`.
    package let name: String
    /// The only engine that needs the step; nil for both.
    private let engine: SQLDialect?
    /// Changes the tables, in the transaction of the migration.
    package let run: @Sendable (any SQLSession) throws -> Void

    package init(
        _ name: String, only engine: SQLDialect? = nil, _ run: @escaping @Sendable (any SQLSession) throws -> Void
    ) {
        (self.name, self.engine, self.run) = (name, engine, run)
    }

    package func isNeeded(in dialect: SQLDialect) -> Bool { engine == nil || engine == dialect }
}

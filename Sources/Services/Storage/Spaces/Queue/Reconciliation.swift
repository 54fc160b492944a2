import GRDB

/// The mark of a space whose queue is known to list every note without vectors, in `gateway_meta`.
///
/// Comparing every note with its vectors reads the whole database. Triggers enqueue all later changes, so the comparison
/// is needed again only after something that they do not see: they were missing for a while, the space was left, the
/// file's layout changed, or a private note was taken off the queue. Each of these removes the mark or makes it differ.
enum Reconciliation {
    private static func key(_ space: SpaceID) -> String { "reconciled:\(space)" }

    /// The mark of a finished comparison, for the space and the layout as they are.
    private static func mark(_ database: Database, _ layout: FileLayout, _ space: SpaceID) throws -> String {
        let left = try Scalar.text(
            database, sql: "SELECT left_at FROM gateway_spaces WHERE id = ?", arguments: [space])
        return "done \(left ?? "never left") \(layout.columns.pending)"
    }

    /// Whether the queue of a space is complete.
    static func isDone(_ database: Database, _ layout: FileLayout, _ space: SpaceID) throws -> Bool {
        guard
            try Scalar.integer(
                database, sql: "SELECT is_filled FROM gateway_spaces WHERE id = ?", arguments: [space]) == 1,
            try MetaTable.text(GatewayDatabase.enqueuingKey, in: database) == nil
        else { return false }
        return try MetaTable.text(key(space), in: database) == mark(database, layout, space)
    }

    /// Notes that a comparison begins.
    ///
    /// - Returns: Its name, for ``finish(_:_:_:name:)``.
    static func begin(_ database: Database, _ space: SpaceID) throws -> String {
        let name = "begun \(UInt64.random(in: 0 ... .max))"
        try MetaTable.set(key(space), name, in: database)
        return name
    }

    /// Marks the space as compared, unless the comparison was outdated meanwhile.
    static func finish(_ database: Database, _ layout: FileLayout, _ space: SpaceID, name: String) throws {
        try database.execute(
            sql: "UPDATE gateway_meta SET value = ? WHERE key = ? AND value = ?",
            arguments: [try mark(database, layout, space), key(space), name])
    }

    /// Has a space compared again.
    static func forget(_ database: Database, _ space: SpaceID) throws {
        try database.execute(sql: "DELETE FROM gateway_meta WHERE key = ?", arguments: [key(space)])
    }

    /// Has all spaces compared again.
    static func forgetAll(_ database: Database) throws {
        try database.execute(sql: "DELETE FROM gateway_meta WHERE key GLOB 'reconciled:*'")
    }
}

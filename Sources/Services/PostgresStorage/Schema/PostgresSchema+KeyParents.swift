extension PostgresSchema {
    /// The key that made a key by pairing or through the console; it ends with that one.
    static let keyParents = "ALTER TABLE selene.keys ADD COLUMN parent bigint"
}

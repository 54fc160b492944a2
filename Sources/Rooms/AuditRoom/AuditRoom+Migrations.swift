package import Database

extension AuditRoom {
    /// A migration makes the audit of a store that of the other one.
    package static let tables = [RoomTable("gateway_audit", id: "id").with { $0.keys = ["key_id"] }]

    package static let migrations = [
        // `at` is in milliseconds since 1970. The other columns are those of ``AuditEntry``.
        Migration("gateway-55-audit") { session in
            let words = session.dialect
            try session.run(
                """
                CREATE TABLE gateway_audit (
                    id \(words.id),
                    at \(words.integer) NOT NULL,
                    by_name \(words.text) NOT NULL,
                    key_id \(words.integer),
                    action \(words.text) NOT NULL,
                    object \(words.text),
                    object_id \(words.text),
                    detail \(words.text),
                    outcome \(words.text) NOT NULL,
                    status \(words.integer),
                    request_id \(words.text)
                )
                """)
        }
    ]
}

package import Database

extension KeyRoom {
    package static let migrations = [
        Migration("gateway-39-key-names", only: .postgres) { session in
            for change in [
                "DROP TRIGGER follow_keys ON keys",
                "ALTER TABLE keys RENAME TO gateway_keys",
                "ALTER TABLE key_usage RENAME TO gateway_key_usage",
                "ALTER TABLE web_sessions RENAME TO gateway_web_sessions",
                "ALTER TABLE pairings RENAME TO gateway_pairings",
                "ALTER TABLE key_version RENAME TO gateway_key_version",
                """
                ALTER TABLE gateway_keys ALTER COLUMN expires_at TYPE text
                USING to_char(to_timestamp(expires_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')
                """,
                "ALTER TABLE gateway_pairings ADD COLUMN created_at bigint NOT NULL DEFAULT 0",
                """
                CREATE OR REPLACE FUNCTION selene.follow_keys() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    UPDATE selene.gateway_key_version SET version = version + 1;
                    PERFORM pg_notify('selene', 'keys');
                    RETURN NULL;
                END $$
                """,
                """
                CREATE TRIGGER follow_keys AFTER INSERT OR DELETE OR UPDATE OF name, revoked_at, scopes, models, expires_at,
                    requests_per_minute, tokens_per_day, parent ON gateway_keys
                    FOR EACH STATEMENT EXECUTE FUNCTION selene.follow_keys()
                """,
            ] { try session.run(change) }
        }
    ]

    /// What a key may spend, and whose requests go first.
    package static let budgetMigrations = [
        Migration("gateway-56-key-budgets") { session in
            for table in ["gateway_keys", "gateway_pairings"] {
                for column in ["requests_at_once", "budget_per_month"] {
                    let type =
                        switch session.dialect {
                        case .sqlite:
                            "INTEGER CHECK (\(column) IS NULL OR (typeof(\(column)) = 'integer' AND \(column) >= 1))"
                        case .postgres: "bigint"
                        }
                    try session.run("ALTER TABLE \(table) ADD COLUMN \(column) \(type)")
                }
                try session.run("ALTER TABLE \(table) ADD COLUMN priority text")
            }
            switch session.dialect {
            case .sqlite:
                try session.run(
                    """
                    ALTER TABLE gateway_key_usage ADD COLUMN cost INTEGER NOT NULL DEFAULT 0
                    CHECK (typeof(cost) = 'integer')
                    """)
            case .postgres:
                try session.run("ALTER TABLE gateway_key_usage ADD COLUMN cost bigint NOT NULL DEFAULT 0")
                try session.run("DROP TRIGGER follow_keys ON gateway_keys")
                try session.run(
                    """
                    CREATE TRIGGER follow_keys AFTER INSERT OR DELETE OR UPDATE OF name, revoked_at, scopes, models,
                        expires_at, requests_per_minute, tokens_per_day, requests_at_once, budget_per_month, priority,
                        parent ON gateway_keys
                        FOR EACH STATEMENT EXECUTE FUNCTION selene.follow_keys()
                    """)
            }
        }
    ]
}

package import Database

extension JobRoom {
    package static let migrations = [
        Migration("gateway-37-job-leases") { session in
            switch session.dialect {
            case .sqlite: try session.run("ALTER TABLE gateway_jobs ADD COLUMN lease INTEGER")
            case .postgres:
                for change in [
                    "ALTER TABLE jobs RENAME TO gateway_jobs",
                    "ALTER TABLE gateway_jobs DROP COLUMN slot",
                    """
                    ALTER TABLE gateway_jobs ALTER COLUMN lease TYPE bigint
                    USING coalesce(extract(epoch FROM lease) * 1000, 0)::bigint
                    """,
                    """
                    CREATE TABLE gateway_daily_runs (
                        kind text NOT NULL,
                        day text NOT NULL,
                        finished_at bigint NOT NULL,
                        PRIMARY KEY (kind, day)
                    )
                    """,
                ] { try session.run(change) }
            }
        }
    ]
}

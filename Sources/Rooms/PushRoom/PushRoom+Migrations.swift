package import Database

extension PushRoom {
    package static let tables = [
        RoomTable("gateway_push_devices", id: "id").with {
            ($0.keys, $0.unique) = (["owner"], [["uuid"], ["channel", "address"]])
        },
        RoomTable("gateway_push_messages", id: "id").with {
            ($0.keys, $0.unique) = (["sender"], [["uuid"], ["origin"]])
        },
        RoomTable("gateway_push_deliveries", id: "id").with { $0.unique = [["uuid"]] },
        RoomTable("gateway_push_events", id: "id", pageSize: 1000),
        RoomTable("gateway_push_repeats", key: "caller", "name"),
        RoomTable("gateway_push_buckets", key: "device_id", "topic"),
        RoomTable("gateway_push_documents", id: "id", pageSize: 20).with { $0.unique = [["uuid"], ["kind", "name"]] },
        RoomTable("gateway_push_schedules", id: "id").with { $0.unique = [["uuid"]] },
    ]

    /// The tables of a server; those of a file are from the steps before the rooms.
    ///
    /// Times are milliseconds since 1970. `state` of a delivery is a ``PushState``. `due` is when the next look is due; while a
    /// worker holds the delivery, it is the end of the lease. `claim` counts the leases, so that only the holder of the latest
    /// one records a result. `origin` names what caused a message, such as one occurrence of a schedule: it is unique over all
    /// servers.
    package static let migrations = [
        Migration("gateway-45-push", only: .postgres) { session in
            for table in postgresTables { try session.run(table) }
            for (name, index) in indexes {
                try session.run("CREATE INDEX gateway_push_\(name) ON gateway_push_\(index)")
            }
        }
    ]

    private static let text = SQLDialect.postgres.text
    private static let id = SQLDialect.postgres.id

    private static let postgresTables = [
        """
        CREATE TABLE gateway_push_devices (
            id \(id),
            uuid \(text) NOT NULL UNIQUE,
            name \(text) NOT NULL,
            channel \(text) NOT NULL,
            address \(text) NOT NULL,
            target \(text) NOT NULL,
            platform \(text),
            environment \(text),
            bundle_id \(text),
            owner bigint,
            secret bytea,
            settings \(text) NOT NULL DEFAULT '{}',
            is_automation bigint NOT NULL DEFAULT 0,
            is_hidden bigint NOT NULL DEFAULT 0,
            has_worked bigint NOT NULL DEFAULT 0,
            retired \(text),
            registered_at bigint NOT NULL,
            created_at bigint NOT NULL,
            updated_at bigint NOT NULL,
            seen_at bigint,
            UNIQUE (channel, address)
        )
        """,
        """
        CREATE TABLE gateway_push_messages (
            id \(id),
            uuid \(text) NOT NULL UNIQUE,
            topic \(text) NOT NULL,
            priority bigint NOT NULL,
            body bytea NOT NULL,
            collapse_key \(text),
            not_before bigint,
            expires bigint,
            source \(text) NOT NULL,
            origin \(text) UNIQUE,
            sender bigint,
            is_recalled bigint NOT NULL DEFAULT 0,
            revision bigint NOT NULL DEFAULT 1,
            created_at bigint NOT NULL,
            updated_at bigint NOT NULL
        )
        """,
        """
        CREATE TABLE gateway_push_deliveries (
            id \(id),
            uuid \(text) NOT NULL UNIQUE,
            message_id bigint NOT NULL,
            device_id bigint NOT NULL,
            channel \(text) NOT NULL,
            state bigint NOT NULL DEFAULT 0,
            due bigint NOT NULL,
            worker \(text),
            claim bigint NOT NULL DEFAULT 0,
            attempts bigint NOT NULL DEFAULT 0,
            collapse_key \(text),
            tried_other bigint NOT NULL DEFAULT 0,
            renewed bigint NOT NULL DEFAULT 0,
            rule \(text),
            reason \(text),
            steps \(text),
            service_id \(text),
            digest_due bigint,
            digest_id bigint,
            repeats bigint NOT NULL DEFAULT 0,
            first_sent_at bigint,
            sent_at bigint,
            delivered_at bigint,
            opened_at bigint,
            acknowledged_at bigint,
            action \(text),
            created_at bigint NOT NULL,
            updated_at bigint NOT NULL
        )
        """,
        """
        CREATE TABLE gateway_push_events (
            id \(id),
            at bigint NOT NULL,
            kind \(text) NOT NULL,
            device_id bigint,
            message_id bigint,
            delivery_id bigint,
            detail \(text)
        )
        """,
        """
        CREATE TABLE gateway_push_repeats (
            caller \(text) NOT NULL,
            name \(text) NOT NULL,
            hash bytea NOT NULL,
            message_id bigint NOT NULL,
            created_at bigint NOT NULL,
            PRIMARY KEY (caller, name)
        )
        """,
        """
        CREATE TABLE gateway_push_buckets (
            device_id bigint NOT NULL,
            topic \(text) NOT NULL,
            full_at bigint NOT NULL,
            PRIMARY KEY (device_id, topic)
        )
        """,
        """
        CREATE TABLE gateway_push_documents (
            id \(id),
            uuid \(text) NOT NULL UNIQUE,
            kind \(text) NOT NULL,
            name \(text) NOT NULL,
            document \(text) NOT NULL,
            created_at bigint NOT NULL,
            updated_at bigint NOT NULL,
            UNIQUE (kind, name)
        )
        """,
        """
        CREATE TABLE gateway_push_schedules (
            id \(id),
            uuid \(text) NOT NULL UNIQUE,
            name \(text) NOT NULL,
            document \(text) NOT NULL,
            is_on bigint NOT NULL DEFAULT 1,
            looked_at bigint NOT NULL,
            next_due bigint,
            zone_version \(text),
            revision bigint NOT NULL DEFAULT 1,
            last_run \(text),
            missed \(text),
            created_at bigint NOT NULL,
            updated_at bigint NOT NULL
        )
        """,
    ]

    /// As a file has them.
    private static let indexes = [
        ("devices_name", "devices (name)"),
        ("messages_age", "messages (created_at)"),
        ("deliveries_due", "deliveries (channel, due, id) WHERE state < 2"),
        ("deliveries_message", "deliveries (message_id)"),
        ("deliveries_device", "deliveries (device_id, id)"),
        ("deliveries_collapse", "deliveries (device_id, collapse_key, id) WHERE collapse_key IS NOT NULL"),
        ("deliveries_digest", "deliveries (digest_due, device_id) WHERE state = 3 AND digest_id IS NULL"),
        ("events_device", "events (device_id, id)"),
        ("events_delivery", "events (delivery_id, id)"),
        ("repeats_age", "repeats (created_at)"),
        ("schedules_due", "schedules (next_due) WHERE is_on = 1"),
    ]
}

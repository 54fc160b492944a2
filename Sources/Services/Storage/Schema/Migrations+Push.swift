extension Migrations {
    /// Notifications. Times are milliseconds since 1970.
    ///
    /// `state` of a delivery is a `PushState`. `due` is when the next look is due; while a worker holds the delivery, it is
    /// the end of the lease. `claim` counts the leases, so that only the holder of the latest one records a result.
    /// `origin` names what caused a message, such as one occurrence of a schedule: it is unique over all servers.
    static let push = """
        CREATE TABLE gateway_push_devices (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            uuid TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL,
            channel TEXT NOT NULL,
            address TEXT NOT NULL,
            target TEXT NOT NULL,
            platform TEXT,
            environment TEXT,
            bundle_id TEXT,
            owner INTEGER,
            secret BLOB,
            settings TEXT NOT NULL DEFAULT '{}',
            is_automation INTEGER NOT NULL DEFAULT 0,
            is_hidden INTEGER NOT NULL DEFAULT 0,
            has_worked INTEGER NOT NULL DEFAULT 0,
            retired TEXT,
            registered_at INTEGER NOT NULL CHECK (typeof(registered_at) = 'integer'),
            created_at INTEGER NOT NULL CHECK (typeof(created_at) = 'integer'),
            updated_at INTEGER NOT NULL CHECK (typeof(updated_at) = 'integer'),
            seen_at INTEGER,
            UNIQUE (channel, address)
        );
        CREATE INDEX gateway_push_devices_name ON gateway_push_devices (name);
        CREATE TABLE gateway_push_messages (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            uuid TEXT NOT NULL UNIQUE,
            topic TEXT NOT NULL,
            priority INTEGER NOT NULL,
            body BLOB NOT NULL,
            collapse_key TEXT,
            not_before INTEGER,
            expires INTEGER,
            source TEXT NOT NULL,
            origin TEXT UNIQUE,
            sender INTEGER,
            is_recalled INTEGER NOT NULL DEFAULT 0,
            revision INTEGER NOT NULL DEFAULT 1 CHECK (typeof(revision) = 'integer'),
            created_at INTEGER NOT NULL CHECK (typeof(created_at) = 'integer'),
            updated_at INTEGER NOT NULL CHECK (typeof(updated_at) = 'integer')
        );
        CREATE TABLE gateway_push_deliveries (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            uuid TEXT NOT NULL UNIQUE,
            message_id INTEGER NOT NULL CHECK (typeof(message_id) = 'integer'),
            device_id INTEGER NOT NULL CHECK (typeof(device_id) = 'integer'),
            channel TEXT NOT NULL,
            state INTEGER NOT NULL DEFAULT 0 CHECK (typeof(state) = 'integer'),
            due INTEGER NOT NULL CHECK (typeof(due) = 'integer'),
            worker TEXT,
            claim INTEGER NOT NULL DEFAULT 0 CHECK (typeof(claim) = 'integer'),
            attempts INTEGER NOT NULL DEFAULT 0,
            collapse_key TEXT,
            tried_other INTEGER NOT NULL DEFAULT 0,
            renewed INTEGER NOT NULL DEFAULT 0,
            rule TEXT,
            reason TEXT,
            steps TEXT,
            service_id TEXT,
            digest_due INTEGER,
            digest_id INTEGER,
            repeats INTEGER NOT NULL DEFAULT 0,
            first_sent_at INTEGER,
            sent_at INTEGER,
            delivered_at INTEGER,
            opened_at INTEGER,
            acknowledged_at INTEGER,
            action TEXT,
            created_at INTEGER NOT NULL CHECK (typeof(created_at) = 'integer'),
            updated_at INTEGER NOT NULL CHECK (typeof(updated_at) = 'integer')
        );
        CREATE INDEX gateway_push_deliveries_due ON gateway_push_deliveries (channel, due, id)
            WHERE state < 2;
        CREATE INDEX gateway_push_deliveries_message ON gateway_push_deliveries (message_id);
        CREATE INDEX gateway_push_deliveries_device ON gateway_push_deliveries (device_id, id);
        CREATE INDEX gateway_push_deliveries_collapse ON gateway_push_deliveries (device_id, collapse_key, id)
            WHERE collapse_key IS NOT NULL;
        CREATE INDEX gateway_push_deliveries_digest ON gateway_push_deliveries (digest_due, device_id)
            WHERE state = 3 AND digest_id IS NULL;
        CREATE TABLE gateway_push_events (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL CHECK (typeof(at) = 'integer'),
            kind TEXT NOT NULL,
            device_id INTEGER,
            message_id INTEGER,
            delivery_id INTEGER,
            detail TEXT
        );
        CREATE INDEX gateway_push_events_device ON gateway_push_events (device_id, id);
        CREATE INDEX gateway_push_events_delivery ON gateway_push_events (delivery_id, id);
        CREATE TABLE gateway_push_repeats (
            caller TEXT NOT NULL,
            name TEXT NOT NULL,
            hash BLOB NOT NULL,
            message_id INTEGER NOT NULL,
            created_at INTEGER NOT NULL CHECK (typeof(created_at) = 'integer'),
            PRIMARY KEY (caller, name)
        ) WITHOUT ROWID;
        CREATE INDEX gateway_push_repeats_age ON gateway_push_repeats (created_at);
        CREATE TABLE gateway_push_buckets (
            device_id INTEGER NOT NULL,
            topic TEXT NOT NULL,
            full_at INTEGER NOT NULL,
            PRIMARY KEY (device_id, topic)
        ) WITHOUT ROWID;
        CREATE TABLE gateway_push_documents (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            uuid TEXT NOT NULL UNIQUE,
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            document TEXT NOT NULL,
            created_at INTEGER NOT NULL CHECK (typeof(created_at) = 'integer'),
            updated_at INTEGER NOT NULL CHECK (typeof(updated_at) = 'integer'),
            UNIQUE (kind, name)
        );
        CREATE TABLE gateway_push_schedules (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            uuid TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL,
            document TEXT NOT NULL,
            is_on INTEGER NOT NULL DEFAULT 1,
            looked_at INTEGER NOT NULL CHECK (typeof(looked_at) = 'integer'),
            next_due INTEGER,
            zone_version TEXT,
            revision INTEGER NOT NULL DEFAULT 1 CHECK (typeof(revision) = 'integer'),
            last_run TEXT,
            missed TEXT,
            created_at INTEGER NOT NULL CHECK (typeof(created_at) = 'integer'),
            updated_at INTEGER NOT NULL CHECK (typeof(updated_at) = 'integer')
        );
        CREATE INDEX gateway_push_schedules_due ON gateway_push_schedules (next_due) WHERE is_on = 1;
        """

    /// Old notifications are found without a look at all of them.
    static let pushAge = "CREATE INDEX gateway_push_messages_age ON gateway_push_messages (created_at);"

    /// Pairs of similar notes that the job of associations found for the first time: those of the latest runs.
    ///
    /// `found_at` is NULL until the run ends. Both notes are integers, the first one is smaller.
    static let newPairs = """
        CREATE TABLE gateway_new_pairs (
            note_a_id INTEGER NOT NULL CHECK (typeof(note_a_id) = 'integer'),
            note_b_id INTEGER NOT NULL CHECK (typeof(note_b_id) = 'integer'),
            similarity REAL NOT NULL CHECK (typeof(similarity) = 'real'),
            job_id INTEGER NOT NULL CHECK (typeof(job_id) = 'integer'),
            found_at INTEGER CHECK (found_at IS NULL OR typeof(found_at) = 'integer'),
            PRIMARY KEY (note_a_id, note_b_id)
        ) WITHOUT ROWID;
        CREATE INDEX gateway_new_pairs_found ON gateway_new_pairs (found_at);
        CREATE INDEX gateway_new_pairs_job ON gateway_new_pairs (job_id);
        """
}

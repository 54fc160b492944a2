package import Database

/// The tables of notifications: devices, the outbox, the log, definitions and schedules.
///
/// Methods of its parts throw ``StorageError``, and a server's own error while it is away.
package struct PushRoom: Sendable {
    private let store: any SQLStore
    /// The time of this machine in milliseconds since 1970, for what is decided outside of a transaction.
    package let clock: @Sendable () -> Int64
    private let owners: @Sendable () async throws -> PushOwners

    /// - Parameter owners: The keys as the gateway knows them, so that deliveries neither read the keys again and again nor
    ///   wait for a server of keys that is away.
    package init(
        _ store: any SQLStore, clock: @escaping @Sendable () -> Int64,
        owners: @escaping @Sendable () async throws -> PushOwners
    ) { (self.store, self.clock, self.owners) = (store, clock, owners) }

    /// Stores the devices that get notifications.
    package var devices: PushDeviceStore { PushDeviceStore(store: store, owners: owners) }
    /// Stores notifications and their deliveries.
    package var outbox: PushOutbox { PushOutbox(store: store, owners: owners) }
    /// Reads what happened to notifications.
    package var log: PushLog { PushLog(store: store) }
    /// Stores templates, actions and settings of notifications.
    package var library: PushLibrary { PushLibrary(store: store) }
    /// Stores schedules of notifications.
    package var schedules: PushScheduleStore { PushScheduleStore(store: store) }
}

extension SQLValue {
    /// A yes or no as a column of numbers has it.
    static func flag(_ isTrue: Bool?) -> SQLValue { .integer(isTrue.map { $0 ? 1 : 0 }) }
}

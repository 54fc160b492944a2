package import Logging
package import PushChannels
package import Schedules
package import Storage

/// The parts of notifications. What serves and sends takes those that it needs.
package struct PushService: Sendable {
    let database: GatewayDatabase
    let settings: PushSettings
    let logger: Logger
    let hub = StreamHub()
    let wakeSignals = PushWakeSignals()
    let pictures: PictureFetcher
    let rules: RuleBook
    let channels: LiveChannels
    let sending: PushSending
    let templates: PushTemplates
    let actions: ActionRunner
    let changes: PushChanges
    let reading: PushReading
    let tally = OutboxTally()

    /// - Throws: ``PushFieldError`` for a push service that cannot be read.
    package init(
        database: GatewayDatabase, channels: PushChannelSet, settings: PushSettings,
        zones: ZoneDatabase = ZoneDatabase(), logger: Logger
    ) throws {
        (self.database, self.settings, self.logger) = (database, settings, logger)
        pictures = PictureFetcher(settings, besides: database.path, logger: logger)
        rules = RuleBook(zones)
        self.channels = try LiveChannels(
            channels, settings: settings, database: database, wakeSignals: wakeSignals, logger: logger)
        sending = PushSending(
            database: database, channels: self.channels, pictures: pictures, wakeSignals: wakeSignals,
            load: OutboxLoad(database.outbox, limit: settings.maxWaiting),
            allowsPrivateURLs: settings.allowsPrivateURLs)
        templates = PushTemplates(library: database.pushLibrary)
        actions = ActionRunner(database: database, sending: sending)
        changes = PushChanges(
            database: database, sending: sending,
            buttons: ButtonRunner(database: database, sending: sending, actions: actions), wakeSignals: wakeSignals,
            hub: hub,
            logger: logger)
        reading = PushReading(database: database, pictures: pictures, hub: hub, logger: logger)
    }

    /// Creates the parts with the channels of the settings: streams and webhooks, and those that have keys.
    ///
    /// - Throws: ``PushFieldError`` for a key or another setting that cannot be used.
    package init(database: GatewayDatabase, settings: PushSettings, logger: Logger) throws {
        try self.init(
            database: database, channels: try PushChannelSet(settings, besides: database.path, logger: logger),
            settings: settings, logger: logger)
    }
}

extension GatewayDatabase {
    /// The time by which notifications are due.
    var pushNow: Instant { Instant(milliseconds: clock()) }
}

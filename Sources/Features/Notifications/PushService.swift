package import ChatRoom
import Database
import KeyRoom
package import Logging
package import PushChannels
import PushRoom
package import Schedules
package import Storage

/// The parts of notifications. What serves and sends takes those that it needs.
package struct PushService: Sendable {
    let room: PushRoom
    let keys: KeyRoom
    let occasions: PushOccasions
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

    /// - Parameters:
    ///   - store: Where notifications are, and what they are about.
    ///   - database: The file, which knows the keys; keys of channels, their tokens and pictures are in files beside it.
    package init(
        in store: any ChatStore, database: GatewayDatabase, channels: PushChannelSet, settings: PushSettings,
        zones: ZoneDatabase = ZoneDatabase(), logger: Logger
    ) {
        let room = database.push(in: store)
        (self.room, keys, occasions) = (room, store.keys, PushOccasions(store: store))
        (self.settings, self.logger) = (settings, logger)
        pictures = PictureFetcher(settings, besides: database.path, logger: logger)
        rules = RuleBook(zones)
        self.channels = LiveChannels(
            channels, settings: settings.channels.besides(database.path), room: room, wakeSignals: wakeSignals,
            logger: logger)
        sending = PushSending(
            room: room, channels: self.channels, pictures: pictures, wakeSignals: wakeSignals,
            load: OutboxLoad(room.outbox, limit: settings.maxWaiting),
            allowsPrivateURLs: settings.channels.allowsPrivateURLs)
        templates = PushTemplates(library: room.library)
        actions = ActionRunner(room: room, sending: sending)
        changes = PushChanges(
            room: room, sending: sending,
            buttons: ButtonRunner(room: room, sending: sending, actions: actions), wakeSignals: wakeSignals,
            hub: hub,
            logger: logger)
        reading = PushReading(room: room, pictures: pictures, hub: hub, logger: logger)
    }

    /// Creates the parts with the channels of the settings: streams and webhooks, and those that have keys.
    ///
    /// - Throws: ``PushFieldError`` for a key or another setting that cannot be used.
    package init(in store: any ChatStore, database: GatewayDatabase, settings: PushSettings, logger: Logger) throws {
        self.init(
            in: store, database: database,
            channels: try PushChannelSet(settings.channels.besides(database.path), logger: logger),
            settings: settings, logger: logger)
    }
}

extension PushRoom {
    /// The time by which notifications are due.
    var now: Instant { Instant(milliseconds: clock()) }
}

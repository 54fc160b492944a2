import GatewayAPI
import Logging
import Push
import PushChannels
import PushRoom
import Schedules
import Synchronization

/// The channels in use, and the addresses as they take them. That of APNs can be replaced while the gateway runs.
final class LiveChannels: Sendable {
    let room: PushRoom
    /// The path of the database; files of keys are beside it.
    let databasePath: String
    let settings: PushSettings
    /// The push services that subscriptions may name.
    let services: PushServices
    let wakeSignals: PushWakeSignals
    let logger: Logger
    private let live: Mutex<(channels: PushChannelSet, apns: APNsIdentity)>
    /// When the stored configuration of APNs was looked at for a delivery.
    let looked = Mutex<ContinuousClock.Instant?>(nil)

    /// - Throws: ``PushFieldError`` for a push service that cannot be read.
    init(
        _ channels: PushChannelSet, settings: PushSettings, room: PushRoom, databasePath: String,
        wakeSignals: PushWakeSignals,
        logger: Logger
    ) throws(PushFieldError) {
        (self.room, self.databasePath, self.settings, self.wakeSignals, self.logger) = (
            room, databasePath, settings, wakeSignals, logger
        )
        services = try PushServices(PushServices.wellKnown + settings.services, field: "push_services")
        let environment: APNsEnvironment = settings.isAPNsSandbox ? .sandbox : .production
        live = Mutex((channels, APNsIdentity(bundleID: settings.bundleID, environment: environment)))
    }

    /// The channels of this moment.
    var all: PushChannelSet { live.withLock { $0.channels } }

    /// What is used of the configuration of APNs.
    var apns: APNsIdentity { live.withLock { $0.apns } }

    /// Replaces the channel of APNs; returns the one before.
    func replace(_ channel: any PushChannel, _ identity: APNsIdentity) -> (any PushChannel)? {
        live.withLock { live in
            defer { live = (live.channels.replacing(channel), identity) }
            return live.channels[channel.kind]
        }
    }

    /// Notes why the stored configuration of APNs is not used; false when that is known already.
    func remember(_ problem: String) -> Bool {
        live.withLock { live in
            defer { live.apns.problem = problem }
            return live.apns.problem != problem
        }
    }

    /// The address of a device, as its channel takes it.
    func target(of device: StoredPushDevice, usesOther: Bool = false) throws(PushRefusal) -> PushTarget {
        let apns = apns
        return try DeviceTarget.target(
            of: device, usesOther: usesOther, bundle: apns.bundleID, environment: apns.environment,
            services: services, allowsPrivate: settings.allowsPrivateURLs)
    }
}

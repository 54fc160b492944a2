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
    /// The settings as the gateway started with them.
    let settings: PushChannelSettings
    let wakeSignals: PushWakeSignals
    let logger: Logger
    private let live: Mutex<State>
    /// When the stored configuration of APNs was looked at for a delivery.
    let looked = Mutex<ContinuousClock.Instant?>(nil)

    struct State {
        var channels: PushChannelSet
        /// The settings with the stored configuration of APNs in them.
        var settings: PushChannelSettings
        /// The stored configuration of APNs; nil for that of the settings.
        var document: String?
        /// Why the stored configuration is not used.
        var problem: String?
    }

    init(
        _ channels: PushChannelSet, settings: PushChannelSettings, room: PushRoom, wakeSignals: PushWakeSignals,
        logger: Logger
    ) {
        (self.room, self.settings, self.wakeSignals, self.logger) = (room, settings, wakeSignals, logger)
        live = Mutex(State(channels: channels, settings: settings))
    }

    /// What is used at this moment.
    var now: State { live.withLock { $0 } }

    /// The channels of this moment.
    var all: PushChannelSet { now.channels }

    /// Replaces the channel of APNs; returns the one before.
    func replace(
        _ channel: any PushChannel, _ settings: PushChannelSettings, _ document: String
    ) -> (any PushChannel)? {
        live.withLock { live in
            defer { live = State(channels: live.channels.replacing(channel), settings: settings, document: document) }
            return live.channels[channel.kind]
        }
    }

    /// Notes why the stored configuration of APNs is not used; false when that is known already.
    func remember(_ problem: String) -> Bool {
        live.withLock { live in
            defer { live.problem = problem }
            return live.problem != problem
        }
    }

    /// The one address in a registration; nil for a registration without an address.
    func address(in request: PushDeviceRequest) throws(PushRefusal) -> (kind: PushChannelKind, address: PushAddress)? {
        let settings = now.settings
        var found: [(kind: PushChannelKind, address: PushAddress)] = []
        for kind in PushChannelKind.allCases {
            let form = kind.form.init(settings)
            let address = try refusing { () throws(PushFieldError) in try form.address(in: request) }
            if let address { found.append((kind, address)) }
        }
        guard found.count <= 1 else {
            let fields = Self.list(PushChannelKind.allCases.compactMap { $0.form.fields.first }, "and")
            throw .field("apnsToken", "a device has one address: expected one of \(fields)")
        }
        return found.first
    }

    /// The refusal of a registration without an address.
    static var noAddress: PushRefusal {
        let others = PushChannelKind.allCases.flatMap { $0.form.fields }.dropFirst()
        return .field("apnsToken", "is required, or \(list(Array(others), "or"))")
    }

    private static func list(_ names: [String], _ word: String) -> String {
        "\(names.dropLast().joined(separator: ", ")) \(word) \(names.last ?? "")"
    }

    /// The address of a device, as its channel takes it.
    func target(of device: StoredPushDevice, usesOther: Bool = false) throws(PushRefusal) -> PushTarget {
        guard let form = device.kind?.form else {
            throw .field("channel", "the device has the unknown channel \"\(device.channel.prefix(32))\"")
        }
        let live = form.init(now.settings)
        return try refusing { () throws(PushFieldError) in try live.target(of: device, usesOther: usesOther) }
    }
}

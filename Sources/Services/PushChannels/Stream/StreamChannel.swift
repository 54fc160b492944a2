import GatewayAPI
import Logging
package import Push
import PushRoom

/// The channel of devices that read their stream: what is recorded as sent is in the stream, with an id to go on from.
package struct StreamChannel: PushChannel {
    /// What the log says of a delivery that a device reads in its stream.
    package static let outcome = PushOutcome(.accepted, "it is in the device's stream")

    package init() {}

    package var kind: PushChannelKind { .stream }
    package var capacity: Int { 256 }
    package func check(_ attempt: PushAttempt) throws(PushFieldError) {}
    package func send(_ attempt: PushAttempt) async -> PushReport { PushReport(Self.outcome) }
    package func shutdown(within timeout: Duration) async {}
}

/// Devices that read their stream. They have no address outside the gateway.
struct StreamForm: PushChannelForm {
    static let fields = ["stream"]

    init(_ settings: PushChannelSettings) {}

    func channel(_ logger: Logger) -> StreamChannel? { StreamChannel() }

    func address(in request: PushDeviceRequest) -> PushAddress? { request.stream == true ? (nil, "{}") : nil }

    func target(of device: StoredPushDevice, usesOther: Bool) -> PushTarget { .stream(device: device.uuid) }
}

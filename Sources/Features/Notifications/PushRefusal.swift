package import Push

/// Why a request about notifications is refused.
package enum PushRefusal: Error, Sendable, Hashable {
    /// A field breaks its rule.
    case field(String, String)
    /// The outbox holds too many deliveries that wait.
    case full(limit: Int)
    /// A key, with those that share with it, has too many deliveries that wait.
    case shareFull(limit: Int)
    /// The notification is an order to an action or a button, which does not change.
    case isOrder
    /// No device is registered, so nobody would get it.
    case noDevice
    /// Only the key that registered a device, or one with the scope `push:admin`, may do this.
    case notYours
    /// A channel is not configured.
    case noChannel(String)
    /// The settings have the key of APNs, which a request cannot replace.
    case setBySettings
    /// The file of a key cannot be written.
    case keyNotKept

    /// A field that breaks its rule.
    package init(_ error: PushFieldError) { self = .field(error.field, error.reason) }
}

extension PushRefusal: CustomStringConvertible {
    /// A sentence for logs.
    package var description: String {
        switch self {
        case .field(let name, let reason): "field \"\(name)\": \(reason)"
        case .full(let limit): "\(limit) deliveries wait already"
        case .shareFull(let limit): "\(limit) deliveries of this key wait already"
        case .isOrder: "an order to an action or a button does not change; send it again"
        case .noDevice: "no device is registered"
        case .notYours: "the device belongs to another key"
        case .noChannel(let name): "the channel \(name) is not configured"
        case .setBySettings:
            "APNs is configured by the settings of the gateway (SELENE_PUSH_APNS_KEY), which a request cannot replace"
        case .keyNotKept:
            "the key cannot be written to the folder of the database; what was configured before stays in use. The log has the details"
        }
    }
}

/// Turns an error of the engine into a refusal, with a prefix for its field.
package func refusing<Value>(
    _ prefix: String = "", _ body: () throws(PushFieldError) -> Value
) throws(PushRefusal) -> Value {
    do { return try body() } catch { throw .field(prefix + error.field, error.reason) }
}

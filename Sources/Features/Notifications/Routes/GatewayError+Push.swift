import HTTPTypes
import Push
package import Server

extension GatewayError {
    /// Maps refusals of notifications; nil for errors of another kind.
    package init?(push error: any Error) {
        guard let refusal = error as? PushRefusal else { return nil }
        switch refusal {
        case .field(let name, let reason) where reason.hasPrefix(PushFieldError.unknown):
            self.init(.badRequest, .unknownField, "field \"\(name)\": \(reason)")
        case .field(let name, let reason): self = .field(name, reason)
        case .full(let limit):
            self.init(
                .serviceUnavailable, Code(rawValue: "outbox_full"),
                "\(limit) deliveries wait already, which is the limit (SELENE_PUSH_MAX_WAITING)",
                headers: [.retryAfter: "10"])
        case .shareFull(let limit):
            self.init(
                .tooManyRequests, Code(rawValue: "outbox_share_full"),
                "\(limit) deliveries of this key wait already, which is its share of the outbox; wait until they are sent",
                headers: [.retryAfter: "10"])
        case .isOrder: self.init(.conflict, Code(rawValue: "conflict"), refusal.description)
        case .noDevice:
            self.init(
                .conflict, Code(rawValue: "no_device"),
                "no device is registered; POST /api/v1/devices registers one")
        case .notYours: self.init(.forbidden, .forbidden, "\(refusal); that needs the scope push:admin")
        case .noChannel: self.init(.conflict, Code(rawValue: "no_channel"), refusal.description)
        case .keyNotKept:
            self.init(.serviceUnavailable, Code(rawValue: "key_not_kept"), refusal.description)
        case .setBySettings: self.init(.conflict, Code(rawValue: "set_by_settings"), refusal.description)
        }
    }
}

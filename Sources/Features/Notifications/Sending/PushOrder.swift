import Push
import PushRoom
import Schedules

/// A message to send.
struct PushOrder: Sendable {
    var message: PushMessage
    var topic = "default"
    /// Names or ids of devices; nil for all.
    var devices: [String]?
    var notBefore: Instant?
    var source = "api"
    /// What caused it, unique over all servers; nil for a request.
    var origin: String?
    var sender: Int64?
    var request: PushRequestName?

    init(_ message: PushMessage) { self.message = message }

    /// Whether a text is a topic: 1 to 64 letters, digits, `-` and `_`.
    static func isTopic(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte == 0x2D || byte == 0x5F
            }
    }
}

/// A push as received.
package struct PushRequest: Sendable {
    /// The number of its connection, from 1.
    package var connection: Int
    /// The headers, without the ones that begin with a colon.
    package var headers: [String: String] = [:]
    package var method = ""
    package var path = ""
    /// The payload.
    package var body: [UInt8] = []

    /// `apns-id`, or `apns-request-id` of a broadcast.
    package var id: String { headers["apns-id"] ?? headers["apns-request-id"] ?? "" }

    /// What APNs would say to the request itself; nil when it is in order.
    func refusal(topics: [String]) -> (status: Int, reason: String)? {
        guard method == "POST" else { return (405, "MethodNotAllowed") }
        let isBroadcast = path.hasPrefix("/4/broadcasts/apps/")
        guard isBroadcast || path.hasPrefix("/3/device/") else { return (404, "BadPath") }
        guard let type = headers["apns-push-type"], Self.types.contains(type) else { return (400, "InvalidPushType") }
        if let priority = headers["apns-priority"] {
            guard ["1", "5", "10"].contains(priority), type != "background" || priority == "5" else {
                return (400, "BadPriority")
            }
        }
        if let expiration = headers["apns-expiration"], Int64(expiration) == nil {
            return (400, "BadExpirationDate")
        }
        if let collapse = headers["apns-collapse-id"], !(1...64).contains(collapse.utf8.count) {
            return (400, "BadCollapseId")
        }
        guard Self.isUUID(id) else { return (400, "BadMessageId") }
        guard !body.isEmpty else { return (400, "PayloadEmpty") }
        guard body.count <= (isBroadcast || type == "voip" ? 5120 : 4096) else { return (413, "PayloadTooLarge") }
        if isBroadcast { return headers["apns-channel-id"] == nil ? (400, "MissingChannelId") : nil }
        let token = path.dropFirst(10)
        guard !token.isEmpty else { return (400, "MissingDeviceToken") }
        guard token.utf8.count >= 64,
            token.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return (400, "BadDeviceToken") }
        guard let topic = headers["apns-topic"] else { return (400, "MissingTopic") }
        guard topics.isEmpty || topics.contains(where: { topic == $0 || topic.hasPrefix($0 + ".") }) else {
            return (400, "TopicDisallowed")
        }
        return nil
    }

    private static let types: Set<String> = [
        "alert", "background", "location", "voip", "complication", "fileprovider", "mdm", "liveactivity", "pushtotalk",
        "widgets", "controls",
    ]

    private static func isUUID(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
            && parts.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) } }
    }
}

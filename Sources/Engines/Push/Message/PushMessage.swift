package import Delivery
package import GatewayAPI
package import Schedules

/// A notification as a sender describes it, for every kind of device.
///
/// ``check()`` has to pass before the message is stored or sent.
package struct PushMessage: Sendable, Hashable {
    /// How far the system interrupts the person. ``DeliveryPriority`` decides whether and when a message is sent.
    package enum Interruption: String, Sendable, CaseIterable {
        /// Silently into the list.
        case passive
        /// With light and sound.
        case active
        /// Also through a focus that allows it.
        case timeSensitive = "time-sensitive"
        /// Also through the mute switch; needs an entitlement of Apple's.
        case critical
    }

    /// One line.
    package var title: String?
    /// One line below the title.
    package var subtitle: String?
    /// The text.
    package var body: String?
    /// What is played; nil for silence.
    package var sound: PushSound?
    /// The number on the app's icon; 0 removes it, nil leaves it.
    package var badge: Int64?
    /// The URL of a picture, or a ``PictureName`` of one that the gateway keeps.
    package var image: String?
    /// A picture in the message itself. It is kept, and ``image`` names it, before the message is stored.
    package var imageData: [UInt8]?
    /// Groups notifications that have the same name.
    package var thread: String?
    /// The app's own kind of notification, which selects its buttons.
    package var category: String?
    /// How far the system interrupts; nil for its default.
    package var interruption: Interruption?
    /// How important it is among the sender's messages.
    package var priority = DeliveryPriority.normal
    /// Worthless from this instant on.
    package var expires: Instant?
    /// A newer message with the same id replaces an older one; 1 to 64 bytes.
    package var collapseID: String?
    /// What a tap opens.
    package var url: String?
    /// Words that describe the message, such as those of ntfy.
    package var tags: [String] = []
    /// Buttons.
    package var actions: [PushAction] = []
    /// Data for the app.
    package var data: [String: JSONValue] = [:]
    /// A change of a Live Activity; then the other fields are what the device says about the change.
    package var activity: LiveActivityChange?

    /// Creates a message without content.
    package init() {}

    /// The limits of a message. The payload of each transport has limits of its own.
    package enum Limits {
        /// Bytes of a title and of a subtitle.
        package static let line = 1024
        /// Bytes of a body.
        package static let body = 4096
        /// Bytes of a sound's, thread's, category's and tag's name.
        package static let name = 128
        /// Bytes of a collapse id (APNs).
        package static let collapseID = 64
        /// The number of tags.
        package static let tags = 16
        /// The number of buttons (iOS shows no more).
        package static let actions = 4
        /// Bytes of ``PushMessage/data``, as JSON.
        package static let data = 4096
        /// Bytes of ``PushMessage/imageData``.
        package static let imageData = 1 << 20
        /// The largest badge.
        package static let badge: Int64 = 99_999
    }
}

extension PushMessage {
    /// Whether a person sees something: a title, subtitle or body that is not blank.
    package var isVisible: Bool {
        [title, subtitle, body].contains { $0?.contains { !$0.isWhitespace } ?? false }
    }

    /// Checks all fields.
    ///
    /// - Throws: ``PushFieldError`` with the first field that breaks its rule.
    package func check() throws(PushFieldError) {
        try FieldLimits.check(title, "title", limit: Limits.line, isOneLine: true)
        try FieldLimits.check(subtitle, "subtitle", limit: Limits.line, isOneLine: true)
        try FieldLimits.check(body, "body", limit: Limits.body)
        try sound?.check("sound")
        try FieldLimits.range(badge, "badge", 0...Limits.badge)
        if let image, PictureName(image: image) == nil { _ = try PushURL(image, field: "image") }
        if let imageData { try Self.check(imageData, hasURL: image != nil) }
        try FieldLimits.name(thread, "thread", limit: Limits.name)
        try FieldLimits.name(category, "category", limit: Limits.name)
        try FieldLimits.name(collapseID, "collapse_id", limit: Limits.collapseID)
        if let url { try PushLink.check(url, field: "url") }
        guard tags.count <= Limits.tags else {
            throw PushFieldError("tags", "expected at most \(Limits.tags) entries, got \(tags.count)")
        }
        for (index, tag) in tags.enumerated() { try FieldLimits.name(tag, "tags[\(index)]", limit: Limits.name) }
        guard actions.count <= Limits.actions else {
            throw PushFieldError("actions", "expected at most \(Limits.actions) entries, got \(actions.count)")
        }
        var ids: Set<String> = []
        for (index, action) in actions.enumerated() {
            try action.check("actions[\(index)]")
            guard ids.insert(action.id).inserted else {
                throw PushFieldError("actions[\(index)].id", "is the id of another action, too")
            }
        }
        try FieldLimits.object(data, "data", limit: Limits.data)
        for name in ["aps", "selene"] where data[name] != nil {
            throw PushFieldError("data.\(name)", "the name is reserved")
        }
        try activity?.check("activity")
        guard isVisible || activity != nil || badge != nil || !data.isEmpty else {
            throw PushFieldError(
                "body", "is required: a message without title, body, badge, data and activity says nothing")
        }
        guard actions.isEmpty || isVisible else {
            throw PushFieldError("actions", "need a title or body; nothing is shown without one")
        }
    }

    private static func check(_ picture: [UInt8], hasURL: Bool) throws(PushFieldError) {
        guard !hasURL else { throw PushFieldError("image_data", "excludes \"image\"") }
        guard picture.count <= Limits.imageData else {
            throw PushFieldError(
                "image_data", "expected a picture of at most \(Limits.imageData) bytes, got \(picture.count)")
        }
        guard let header = PictureHeader(picture) else {
            throw PushFieldError("image_data", "expected a picture in PNG, JPEG, GIF or WebP, in base64")
        }
        guard header.isBounded else {
            throw PushFieldError("image_data", "expected at most \(PictureHeader.maxPixels) pixels, got \(header)")
        }
    }

    /// Checks the URLs that the gateway itself would call: the picture, which it fetches, and requests of buttons that
    /// run on the server. The connection has to check the addresses, too, since names may lead anywhere.
    ///
    /// - Parameter allowsPrivate: Also accepts hosts of private networks, and `http` for requests.
    /// - Throws: ``PushFieldError`` for `image` or `actions[n].url`.
    package func checkTargets(allowsPrivate: Bool) throws(PushFieldError) {
        if let image, !allowsPrivate, PictureName(image: image) == nil,
            try !PushURL(image, field: "image").host.isPublic
        {
            throw PushFieldError("image", "the host belongs to a private network")
        }
        for (index, action) in actions.enumerated() where action.runsOnServer {
            guard case .request(let request) = action.effect else { continue }
            _ = try PushURL(target: request.url, field: "actions[\(index)].url", allowsPrivate: allowsPrivate)
        }
    }
}

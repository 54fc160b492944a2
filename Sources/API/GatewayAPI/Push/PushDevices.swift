/// A device that gets notifications.
public struct PushDevice: Codable, Sendable, Hashable {
    /// The id.
    public var id: String
    /// The name, which requests may use in place of the id.
    public var name: String
    /// How it is reached: `apns`, `web_push`, `webhook` or `stream`.
    public var channel: String
    /// The operating system, as the device says.
    public var platform: String?
    /// The environment of APNs: `production` or `sandbox`.
    public var environment: String?
    /// The bundle id of the app.
    public var bundleId: String?
    /// The end of its address, to tell devices apart.
    public var address: String
    /// The id of the key that registered it.
    public var owner: Int64?
    /// Whether it runs shortcuts for the gateway.
    public var isAutomationServer: Bool
    /// Whether it reads its stream now.
    public var isOnline: Bool
    /// Its rules for delivery.
    public var settings: PushDeviceSettings
    /// Why nothing is sent to it any more; nil for a live device.
    public var retired: String?
    /// When it was registered for the first time, ISO 8601.
    public var createdAt: String
    /// When it registered its address for the last time, ISO 8601.
    public var registeredAt: String
    /// When it was seen last, ISO 8601.
    public var lastSeenAt: String?
    /// The token for the WebSocket, shown once: when the device is registered.
    public var registrationToken: String?

    /// Creates a device.
    public init(id: String, name: String, channel: String, address: String, createdAt: String, registeredAt: String) {
        self.id = id
        self.name = name
        self.channel = channel
        self.address = address
        self.createdAt = createdAt
        self.registeredAt = registeredAt
        isAutomationServer = false
        isOnline = false
        settings = PushDeviceSettings()
    }
}

/// A page of devices.
public struct PushDeviceList: Codable, Sendable, Hashable {
    /// The devices, oldest first.
    public var devices: [PushDevice]
    /// The start of the next page; nil on the last one.
    public var nextCursor: String?

    /// Creates a page.
    public init(devices: [PushDevice], nextCursor: String?) {
        self.devices = devices
        self.nextCursor = nextCursor
    }
}

/// The body of `POST /api/v1/devices` and `PUT /api/v1/devices/{id}`. A new device has exactly one address.
public struct PushDeviceRequest: Codable, Sendable, Hashable {
    /// The name, 1 to 128 bytes.
    public var name: String?
    /// The token of APNs, for an app.
    public var apnsToken: String?
    /// What the token is for, such as `liveactivity`, `widgets` or `voip`; nil for notifications.
    public var apnsType: String?
    /// The id of a broadcast channel of Live Activities, in place of a token.
    public var apnsChannel: String?
    /// The subscription of a browser or of a UnifiedPush app, as `PushSubscription.toJSON()` gives it.
    public var webPush: JSONValue?
    /// A URL that gets signed requests.
    public var webhook: Webhook?
    /// `true` for a device that only reads its stream.
    public var stream: Bool?
    /// The operating system.
    public var platform: String?
    /// The environment of APNs: `production` or `sandbox`.
    public var environment: String?
    /// The bundle id of the app.
    public var bundleId: String?
    /// Whether the device runs shortcuts for the gateway.
    public var isAutomationServer: Bool?
    /// The rules for delivery.
    public var settings: PushDeviceSettings?

    /// A webhook.
    public struct Webhook: Codable, Sendable, Hashable {
        /// The URL: `https`, and no host of a private network unless those are allowed.
        public var url: String
        /// The secret that signs requests, `whsec_…`; none for a receiver that does not check.
        public var secret: String?

        /// Creates a webhook.
        public init(url: String, secret: String? = nil) {
            self.url = url
            self.secret = secret
        }
    }

    /// Creates a request.
    public init(name: String? = nil) { self.name = name }
}

/// A device's rules for delivery. Times of day are `HH:MM` by the clock of the zone.
public struct PushDeviceSettings: Codable, Sendable, Hashable {
    /// The IANA name of the zone, such as `Europe/Berlin`; nil for UTC.
    public var zone: String?
    /// When the device stays silent.
    public var quietHours: QuietHours?
    /// When messages of low priority come together.
    public var digest: Digest?
    /// How many messages of one topic come in which time.
    public var rate: Rate?
    /// Topics that are never sent.
    public var mutes: [Mute]?

    /// Silent hours.
    public struct QuietHours: Codable, Sendable, Hashable {
        /// The windows.
        public var windows: [Window]
        /// Priorities from this one on are sent all the same; nil for `emergency`, `none` for no exception.
        public var breakThrough: String?

        /// Creates quiet hours.
        public init(windows: [Window], breakThrough: String? = nil) {
            self.windows = windows
            self.breakThrough = breakThrough
        }
    }

    /// From a time of day to another one, which may be on the next day.
    public struct Window: Codable, Sendable, Hashable {
        /// The start.
        public var start: String
        /// The end; `24:00` for midnight.
        public var end: String
        /// The days on which it starts: `sun` to `sat`; nil for all.
        public var weekdays: [String]?

        /// Creates a window.
        public init(start: String, end: String, weekdays: [String]? = nil) {
            self.start = start
            self.end = end
            self.weekdays = weekdays
        }
    }

    /// When messages of low priority come together.
    public struct Digest: Codable, Sendable, Hashable {
        /// The times of day.
        public var at: [String]
        /// The days: `sun` to `sat`; nil for all.
        public var weekdays: [String]?
        /// The highest priority that waits; nil for `low`.
        public var upTo: String?
        /// The topics that wait; nil for all.
        public var topics: [String]?

        /// Creates a digest.
        public init(at: [String], upTo: String? = nil) {
            self.at = at
            self.upTo = upTo
        }
    }

    /// How many messages of one topic come in which time.
    public struct Rate: Codable, Sendable, Hashable {
        /// Messages at once, 1 to 10,000.
        public var burst: Int
        /// Seconds after which another one may follow, more than 0.
        public var seconds: Double
        /// Priorities from this one on are sent all the same; nil for no exception.
        public var breakThrough: String?

        /// Creates a rate.
        public init(burst: Int, seconds: Double, breakThrough: String? = nil) {
            self.burst = burst
            self.seconds = seconds
            self.breakThrough = breakThrough
        }
    }

    /// Topics that are never sent.
    public struct Mute: Codable, Sendable, Hashable {
        /// The topic; nil for all.
        public var topic: String?
        /// The end, ISO 8601; nil for no end.
        public var until: String?
        /// Priorities from this one on are sent all the same; nil for no exception.
        public var breakThrough: String?

        /// Creates a mute.
        public init(topic: String? = nil, until: String? = nil, breakThrough: String? = nil) {
            self.topic = topic
            self.until = until
            self.breakThrough = breakThrough
        }
    }

    /// Creates rules: none.
    public init() {}
}

/// The reply of `GET /api/v1/web-push/key`.
public struct PushWebKey: Codable, Sendable, Hashable {
    /// Whether the gateway sends Web Push.
    public var configured: Bool
    /// The public VAPID key in base64url, for `PushManager.subscribe`; nil without Web Push.
    public var publicKey: String?

    /// Creates a reply.
    public init(configured: Bool, publicKey: String?) {
        self.configured = configured
        self.publicKey = publicKey
    }
}

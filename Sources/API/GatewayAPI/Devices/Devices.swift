/// The body of `POST /api/devices/register` and `POST /api/devices/unregister`.
public struct DeviceRequest: Codable, Sendable, Hashable {
    /// The device's push token; at most 512 bytes, not empty.
    public var token: String
    /// Its system; `ios` when absent. Unregistering does not look at it.
    public var platform: String?

    /// Creates a request.
    public init(token: String, platform: String? = nil) {
        self.token = token
        self.platform = platform
    }
}

/// The reply of both: `registered` or `unregistered`, whether or not the token was known before.
public struct DeviceResponse: Codable, Sendable, Hashable {
    /// What holds now.
    public var status: String

    /// Creates a reply.
    public init(status: String) { self.status = status }
}

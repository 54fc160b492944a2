/// The body of `POST /api/devices/register` and `POST /api/devices/unregister`.
public struct DeviceRequest: Codable, Sendable, Hashable {
    /// The device's push token; 1 to 512 bytes.
    public var token: String
    /// The device's operating system; `ios` when absent. Ignored by `unregister`.
    public var platform: String?
    /// The name in lists of devices; `Phone` when absent. Ignored by `unregister`.
    public var name: String?
    /// The environment of APNs, `production` or `sandbox`; `production` when absent. Ignored by `unregister`.
    public var environment: String?
    /// The bundle id of the app; the gateway's own when absent. Ignored by `unregister`.
    public var bundleId: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case token, platform, name, environment
        case bundleId = "bundle_id"
    }

    /// Creates a request.
    public init(token: String, platform: String? = nil) {
        self.token = token
        self.platform = platform
    }
}

/// The reply of `POST /api/devices/register` and `POST /api/devices/unregister`.
public struct DeviceResponse: Codable, Sendable, Hashable {
    /// `registered` or `unregistered`, whether or not the token was known before.
    public var status: String

    /// Creates a reply.
    public init(status: String) { self.status = status }
}

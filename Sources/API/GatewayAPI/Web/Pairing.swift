/// The body of `POST /web/pairings`: a key to offer to a new device.
public struct PairingOffer: Codable, Sendable, Hashable {
    /// The name for the device's key.
    public var name: String
    /// What the key allows; absent for the giving key's own scopes without `admin`.
    public var scopes: [String]?
    /// The key's expiry: `180d`, `12h`, a date or `never`; absent for never.
    public var expires: String?

    /// Creates an offer.
    public init(name: String, scopes: [String]? = nil, expires: String? = nil) {
        self.name = name
        self.scopes = scopes
        self.expires = expires
    }
}

/// The reply of `POST /web/pairings`.
public struct PairingOfferResponse: Codable, Sendable, Hashable {
    /// The code: 8 letters.
    public var code: String
    /// When the code stops working, in ISO 8601.
    public var expiresAt: String
    /// The address to open on the new device, with the code in its fragment.
    public var url: String
    /// The address as a QR code in SVG; absent when the address is too long.
    public var qr: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case code
        case expiresAt = "expires_at"
        case url, qr
    }

    /// Creates a reply.
    public init(code: String, expiresAt: String, url: String, qr: String?) {
        self.code = code
        self.expiresAt = expiresAt
        self.url = url
        self.qr = qr
    }
}

/// The body of `POST /web/pairings/requests`: a new device asks for a key.
public struct PairingRequest: Codable, Sendable, Hashable {
    /// The device's name for itself.
    public var name: String

    /// Creates a request.
    public init(name: String) { self.name = name }
}

/// The reply of `POST /web/pairings/requests`.
public struct PairingRequestResponse: Codable, Sendable, Hashable {
    /// The code to show: 8 letters.
    public var code: String
    /// The secret with which the device polls and signs in.
    public var poll: String
    /// When the code stops working, in ISO 8601.
    public var expiresAt: String

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case code, poll
        case expiresAt = "expires_at"
    }

    /// Creates a reply.
    public init(code: String, poll: String, expiresAt: String) {
        self.code = code
        self.poll = poll
        self.expiresAt = expiresAt
    }
}

/// The reply of `GET /web/pairings/requests/:code` for the new device.
public struct PairingState: Codable, Sendable, Hashable {
    /// Whether the request was approved.
    public enum State: String, Codable, Sendable {
        case waiting, approved
    }

    /// Whether the request was approved.
    public var state: State

    /// Creates a state.
    public init(state: State) { self.state = state }
}

/// A new device's request, for the person who approves it.
public struct PairingDetails: Codable, Sendable, Hashable {
    /// The device's name for itself.
    public var name: String
    /// The device's browser.
    public var userAgent: String
    /// The device's address.
    public var address: String
    /// Whether the request was approved.
    public var state: PairingState.State
    /// When the code stops working, in ISO 8601.
    public var expiresAt: String

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case name, address, state
        case userAgent = "user_agent"
        case expiresAt = "expires_at"
    }

    /// Creates details.
    public init(name: String, userAgent: String, address: String, state: PairingState.State, expiresAt: String) {
        self.name = name
        self.userAgent = userAgent
        self.address = address
        self.state = state
        self.expiresAt = expiresAt
    }
}

/// The body of `POST /web/pairings/requests/:code/approve`.
public struct PairingApproval: Codable, Sendable, Hashable {
    /// What the device's key allows; absent for the approving key's own scopes without `admin`.
    public var scopes: [String]?
    /// The key's expiry: `180d`, `12h`, a date or `never`; absent for never.
    public var expires: String?

    /// Creates an approval.
    public init(scopes: [String]? = nil, expires: String? = nil) {
        self.scopes = scopes
        self.expires = expires
    }
}

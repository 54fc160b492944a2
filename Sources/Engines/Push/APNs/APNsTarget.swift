/// Where a push goes.
package struct APNsTarget: Sendable, Hashable {
    enum Address: Hashable {
        /// The token in lower-case hexadecimal digits.
        case device(token: String)
        /// The id of a broadcast channel, in base64.
        case channel(id: String)
    }

    let address: Address
    /// The app's bundle id.
    package let bundle: String

    /// A device.
    ///
    /// - Parameter token: Hexadecimal digits. Apple does not promise a length; 32 to 200 bytes are accepted.
    package init(token: String, bundle: String) throws(PushFieldError) {
        let digits = token.lowercased()
        guard (64...400).contains(digits.utf8.count), digits.utf8.count % 2 == 0,
            digits.utf8.allSatisfy({ $0.isDigit || (0x61...0x66).contains($0) })
        else { throw PushFieldError("token", "expected 64 to 400 hexadecimal digits") }
        address = .device(token: digits)
        self.bundle = try Self.checked(bundle)
    }

    /// All devices that subscribe to a broadcast channel of Live Activities.
    package init(channel: String, bundle: String) throws(PushFieldError) {
        guard (1...128).contains(channel.utf8.count),
            channel.utf8.allSatisfy({ byte in
                byte.isLetter || byte.isDigit || "+/-_=".utf8.contains(byte)
            })
        else { throw PushFieldError("channel", "expected a channel id in base64") }
        address = .channel(id: channel)
        self.bundle = try Self.checked(bundle)
    }

    private static func checked(_ bundle: String) throws(PushFieldError) -> String {
        guard (1...155).contains(bundle.utf8.count),
            bundle.utf8.allSatisfy({ byte in
                byte.isLetter || byte.isDigit || byte == 0x2D || byte == 0x2E
            })
        else { throw PushFieldError("bundle_id", "expected 1 to 155 letters, digits, \"-\" and \".\"") }
        return bundle
    }
}

/// The two environments of APNs. A token is valid in one of them.
package enum APNsEnvironment: String, Sendable, CaseIterable {
    /// Apps from the App Store and TestFlight.
    case production
    /// Apps that Xcode installed.
    case sandbox

    /// The origin of requests; port 2197 serves the same where 443 is not open.
    package var origin: String {
        self == .production ? "https://api.push.apple.com" : "https://api.sandbox.push.apple.com"
    }

    /// The other one.
    package var other: APNsEnvironment { self == .production ? .sandbox : .production }
}

import Cryptography

/// The name of a picture that the gateway keeps: 48 hexadecimal digits that nobody can guess.
package struct PictureName: Sendable, Hashable {
    private static let digits = 48
    /// What ``PushMessage/image`` begins with when it names a picture that is kept.
    private static let scheme = "picture:"

    /// The digits.
    package let text: String

    /// The name of the picture that a message has the URL of. All servers find the same name.
    ///
    /// - Parameter message: The id of the message, a random UUID, which makes the name one that nobody can guess.
    package init(of url: String, in message: String) {
        var hash = SHA256()
        for part in ["selene picture", message, url] { hash.update(data: Array(part.utf8) + [0]) }
        text = String(hash.finalize().flatMap { [Self.hex($0 >> 4), Self.hex($0 & 15)] }.prefix(Self.digits))
    }

    /// Reads the digits of a name; nil for other text.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == Self.digits,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        self.text = String(text)
    }

    /// Reads the `image` of a message that names a picture that is kept; nil for a URL.
    package init?(image: String) {
        guard image.hasPrefix(Self.scheme) else { return nil }
        self.init(image.dropFirst(Self.scheme.count))
    }

    /// A new name.
    package static func random() -> PictureName {
        var text = ""
        for _ in 0..<digits { text.append(hex(UInt8.random(in: 0...15))) }
        return PictureName(checked: text)
    }

    private init(checked text: String) { self.text = text }

    /// The name as the `image` of a message.
    package var image: String { Self.scheme + text }

    private static func hex(_ digit: UInt8) -> Character {
        Character(UnicodeScalar(digit < 10 ? 0x30 + digit : 0x57 + digit))
    }
}

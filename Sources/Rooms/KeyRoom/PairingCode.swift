/// A short code that a person reads on one device and types on another: 8 of the 20 letters of RFC 8628, 6.1, which are
/// 34 bits.
package struct PairingCode: Sendable, Hashable {
    /// The letters: no vowels, so that no words appear.
    static let letters = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
    /// The number of letters.
    static let length = 8

    /// The 8 letters.
    package let text: String

    /// Makes a random code.
    package init() {
        var generator = SystemRandomNumberGenerator()
        let letters = (0..<Self.length).compactMap { _ in Self.letters.randomElement(using: &generator) }
        text = String(decoding: letters, as: UTF8.self)
    }

    /// Reads a typed code; nil when it is not 8 letters of the alphabet. Case, spaces and dashes do not matter.
    package init?(_ typed: String) {
        guard typed.utf8.count <= 32 else { return nil }
        let letters = typed.uppercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }
        guard letters.count == Self.length, letters.allSatisfy(Self.letters.contains) else { return nil }
        text = String(decoding: letters, as: UTF8.self)
    }

    /// The code in two groups of four, for people.
    package var grouped: String { "\(text.prefix(4))-\(text.suffix(4))" }
}

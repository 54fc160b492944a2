package import NIOCore

/// The key of a provider, in memory only: every description of it is masked.
package struct ProviderKey: Sendable, Hashable {
    /// The key as it is sent; nil for none.
    let secret: String?
    /// Why the configured key cannot be used; nil when it can.
    package let problem: String?

    /// No key, for a server that needs none.
    package static let none = ProviderKey(secret: nil, problem: nil)

    /// A key that is sent with each request.
    package static func value(_ secret: String) -> ProviderKey { ProviderKey(secret: secret, problem: nil) }

    /// A configured key that cannot be used. Requests fail with the reason.
    package static func unusable(_ reason: String) -> ProviderKey { ProviderKey(secret: nil, problem: reason) }

    /// Masks the key, and words that hold its beginning, in a text of the provider.
    package func redacting(_ text: String) -> String {
        guard let secret, !secret.isEmpty else { return text }
        let masked = text.replacing(secret, with: Self.mask)
        guard secret.count >= 12 else { return masked }
        let beginning = secret.prefix(6)
        let words = masked.split(omittingEmptySubsequences: false) { $0.isWhitespace || "\"'`,;()<>".contains($0) }
        return words.filter { $0.contains(beginning) }.reduce(masked) { $0.replacing($1, with: Self.mask) }
    }

    /// Whether bytes hold the key.
    package func occurs(in bytes: ByteBuffer) -> Bool {
        guard let secret, !secret.isEmpty else { return false }
        return bytes.readableBytesView.firstRange(of: secret.utf8) != nil
    }

    private static let mask = "********"
}

extension ProviderKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Whether there is a key, without it.
    package var description: String { problem ?? (secret == nil ? "no key" : Self.mask) }

    /// The same as ``description``.
    package var debugDescription: String { description }

    /// No parts.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// How a client hands over a key, which is decided when the key is made.
///
/// The stored first characters tell the kind, so that it needs no column of its own.
package enum KeyKind: String, Sendable, Hashable, CaseIterable {
    /// In a header, as a bearer token or as the password of Basic.
    case header
    /// In a header, or in front of the path. Addresses end up in the logs and histories of others, so only a key that was
    /// made for it may stand there.
    case path
    /// Never: the client signs its requests with a private key of its own, as Ollama's does. See ``SigningKey``.
    case signature
    /// Never: a paired device has browser sessions of the key, and nobody knows the key itself.
    case session

    /// The start of every key that may stand in front of a path.
    package static let pathPrefix = "slp_"

    /// Reads the kind from the stored first characters of a key.
    package init(prefix: String) {
        self =
            if prefix.hasPrefix(KeyRoom.secretPrefix) {
                .header
            } else if prefix.hasPrefix(Self.pathPrefix) {
                .path
            } else if prefix.hasPrefix(SigningKey.fingerprintPrefix) {
                .signature
            } else {
                .session
            }
    }
}

extension KeyRecord {
    /// How the client hands over the key.
    package var kind: KeyKind { KeyKind(prefix: prefix) }
}

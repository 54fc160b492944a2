import Cryptography

/// Collapse ids as the services accept them. The same id always gives the same name.
enum CollapseName {
    /// For APNs: the id itself when it is visible ASCII, else 43 characters of its SHA-256.
    static func apns(_ id: String) -> String {
        let fits = id.utf8.count <= 64 && id.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return fits ? id : Base64URL.encode(SHA256.hash(data: Array(id.utf8)))
    }

    /// For Web Push, the header `Topic` (RFC 8030, section 5.4): the id itself when it is at most 32 characters of
    /// base64url, else 32 characters of its SHA-256.
    static func webPush(_ id: String) -> String {
        let fits =
            (1...32).contains(id.utf8.count)
            && id.utf8.allSatisfy(\.isWordCharacter)
        return fits ? id : Base64URL.encode(SHA256.hash(data: Array(id.utf8)).prefix(24))
    }
}

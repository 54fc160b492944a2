import Machine
package import Push

/// Reads a private key from a file that only its owner can read.
///
/// No error shows a part of the file.
package enum PrivateKeyFile {
    /// Reads the text of a key: Apple's `AuthKey_….p8`, or the VAPID key as PEM or base64url.
    ///
    /// - Parameter field: The name of the setting with the path, for the error.
    /// - Throws: ``PushFieldError`` when the file cannot be read, is not a file of this user, or is open to others.
    package static func text(_ path: String, field: String) throws(PushFieldError) -> String {
        let bytes: [UInt8]
        do {
            bytes = try OwnerOnlyFile.read(path, limit: PrivateKeyText.limit)
        } catch {
            throw PushFieldError(field, error.reason)
        }
        guard bytes.count <= PrivateKeyText.limit else {
            throw PushFieldError(field, "\(path) is larger than a key: over \(PrivateKeyText.limit) bytes")
        }
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let end = (bytes.lastIndex { !isSpace($0) }).map { $0 + 1 } ?? 0
        guard end > 0 else { throw PushFieldError(field, "\(path) is empty") }
        return String(decoding: bytes[..<end].drop(while: isSpace), as: UTF8.self)
    }
}

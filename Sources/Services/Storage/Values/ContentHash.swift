import Crypto
public import Foundation
import GRDB
import Text

/// The identity of an embedded text: SHA-256 over the note's text to embed.
public enum ContentHash {
    /// Returns the hash of a note's text to embed, 32 bytes.
    public static func of(title: String, content: String) -> Data {
        Data(SHA256.hash(data: Data(EmbeddedText.of(title: title, content: content).utf8)))
    }

    /// The SQL function `gateway_hash(title, content)`, which detects stale vectors whichever process edited the note.
    static let sqlFunction = DatabaseFunction("gateway_hash", argumentCount: 2, pure: true) { values in
        let title = values[0].asText ?? ""
        let content = values[1].asText ?? ""
        return of(title: title, content: content)
    }
}

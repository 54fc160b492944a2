import Crypto
public import Foundation
import GRDB
import Text

/// The identity of what was embedded: SHA-256 over the note's embedded text.
public enum ContentHash {
    /// The hash of a note's embedded text, 32 bytes.
    public static func of(title: String, content: String) -> Data {
        Data(SHA256.hash(data: Data(EmbeddedText.of(title: title, content: content).utf8)))
    }

    /// The same in SQL, `gateway_hash(title, content)`, so that a note which any process edited is seen to be stale.
    static let sqlFunction = DatabaseFunction("gateway_hash", argumentCount: 2, pure: true) { values in
        let title = values[0].asText ?? ""
        let content = values[1].asText ?? ""
        return of(title: title, content: content)
    }
}

import Cryptography
package import Foundation
import GRDB

/// The identity of an embedded text: SHA-256 over the note's text to embed.
package enum ContentHash {
    /// Returns the hash of a note's text to embed, 32 bytes.
    package static func of(title: String, content: String) -> Data {
        var hash = SHA256()
        // The bytes of `EmbeddedText`, without joining them.
        if !title.isEmpty { add(title + "\n", to: &hash) }
        add(content, to: &hash)
        return Data(hash.finalize())
    }

    private static func add(_ text: String, to hash: inout SHA256) {
        var text = text
        text.withUTF8 { unsafe hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
    }

    /// The SQL function `gateway_hash(title, content)`, which detects stale vectors whichever process edited the note.
    static let sqlFunction = DatabaseFunction("gateway_hash", argumentCount: 2, pure: true) { values in
        let title = values[0].asText ?? ""
        let content = values[1].asText ?? ""
        return of(title: title, content: content)
    }
}

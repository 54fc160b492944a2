import Cryptography
package import GatewayAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Note {
    /// The first 12 hexadecimal digits of a hash of everything that an author writes: title, content, kind, actionability,
    /// tags and threads.
    package var currentRevision: String {
        var hash = SHA256()
        for text in [title, content, noteType ?? "", actionability ?? ""] + tags + threads.map(\.name) {
            hash.update(data: Array(text.utf8))
            // No text has a NUL, so the parts cannot run into each other.
            hash.update(data: [0])
        }
        return Hexadecimal.text(hash.finalize().prefix(6))
    }

    /// The note with its revision, for a reply of one note.
    package var withRevision: Note {
        var note = self
        note.revision = currentRevision
        return note
    }

    /// Checks that nobody changed the note since it was read.
    ///
    /// - Parameter expected: The revision that was read; nil to check nothing.
    /// - Throws: ``StorageError`` `conflict`.
    package func require(revision expected: String?) throws(StorageError) {
        let now = currentRevision
        guard let expected, expected != now else { return }
        throw StorageError(
            .conflict, "note \(id) has changed since it was read: its revision is \(now); read it again")
    }
}

import Text

/// A path below a folder, `/` between its parts, compared by its bytes: `==` of texts takes two spellings of "é" for one, and a
/// folder can have a file of each.
package struct FilePath: Sendable, Hashable, Comparable, CustomStringConvertible {
    private let bytes: ByteText
    package var text: String { bytes.text }

    package init(_ text: String) { bytes = ByteText(text) }

    package var description: String { text }

    /// The last part.
    package var name: Substring { text[(text.lastIndex(of: "/").map { text.index(after: $0) } ?? text.startIndex)...] }

    /// Whether this is the other path, or one below it; the empty path has all paths below it.
    package func isWithin(_ folder: FilePath) -> Bool {
        guard text.utf8.starts(with: folder.text.utf8) else { return false }
        let rest = text.utf8.dropFirst(folder.text.utf8.count)
        return folder.text.isEmpty || rest.isEmpty || rest.first == UInt8(ascii: "/")
    }

    package func appending(_ name: String) -> FilePath { FilePath(text.isEmpty ? name : text + "/" + name) }

    package static func < (one: FilePath, other: FilePath) -> Bool { one.bytes < other.bytes }
}

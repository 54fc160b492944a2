import Foundation

/// How text is folded before it is compared, on both sides alike.
///
/// Case is folded over all of Unicode (upper case, then lower case, so that ß meets SS and ς meets σ) and the result is
/// composed (NFC), so that a letter with a combining mark meets its precomposed form. Diacritics count: `é` is not `e`.
/// The two control characters that the arena uses as borders become spaces.
enum TextFolding {
    /// Stands after a title in the arena.
    static let titleEnd: UInt8 = 0x01
    /// Stands after a document in the arena.
    static let documentEnd: UInt8 = 0x00

    /// The folded text as UTF-8.
    static func fold(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        if let ascii = foldASCII(&bytes) { return ascii }
        // Composed before, too, so that texts which differ only in how they are composed fold alike.
        let composed = text.precomposedStringWithCanonicalMapping
        return composed.uppercased().lowercased().precomposedStringWithCanonicalMapping.utf8.map(border)
    }

    /// Folds in place when all is ASCII; nil when something is not.
    private static func foldASCII(_ bytes: inout [UInt8]) -> [UInt8]? {
        for index in bytes.indices {
            let byte = bytes[index]
            if byte >= 0x80 { return nil }
            bytes[index] = border(byte &- 0x41 < 26 ? byte | 0x20 : byte)
        }
        return bytes
    }

    private static func border(_ byte: UInt8) -> UInt8 { byte <= 1 ? 0x20 : byte }
}

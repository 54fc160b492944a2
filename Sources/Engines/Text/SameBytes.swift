extension String {
    /// Whether both texts have the same bytes. `==` takes "é" for "e" with an accent behind it, so a change of only that would
    /// be lost.
    package func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

/// A text that is compared and ordered by its bytes, as a key: names of files differ by them.
package struct ByteText: Sendable, Hashable, Comparable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (one: ByteText, other: ByteText) -> Bool { one.text.hasSameBytes(as: other.text) }

    package static func < (one: ByteText, other: ByteText) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

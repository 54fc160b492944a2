/// How large a document may be.
package struct DocumentLimits: Sendable, Hashable, Codable {
    /// The largest file in bytes.
    package var fileBytes = 512 << 20
    /// The longest text in UTF-8 bytes; the rest is left out and said.
    package var textBytes = 64 << 20
    /// The largest number of pages; the rest is left out and said.
    package var pages = 20_000
    /// The bytes that all parts of the file may have together once they are unpacked.
    package var unpackedBytes = 1 << 30
    /// The deepest nesting of elements or objects.
    package var depth = 256

    package init() {}
}

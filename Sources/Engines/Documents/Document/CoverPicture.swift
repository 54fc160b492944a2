/// The pictures that browsers show as the cover of a book.
package enum CoverPicture {
    /// The media type of a PNG, JPEG or SVG picture by its first bytes; nil for anything else.
    package static func mediaType(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "image/png" }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        return isSVG(bytes) ? "image/svg+xml" : nil
    }

    /// Whether markup begins with an `svg` element, after declarations and comments.
    private static func isSVG(_ bytes: [UInt8]) -> Bool {
        var rest = Substring(decoding: bytes.prefix(4096), as: UTF8.self).drop { $0 == "\u{FEFF}" || $0.isWhitespace }
        while let end = [("<?", "?>"), ("<!--", "-->"), ("<!DOCTYPE", ">")].first(where: { rest.hasPrefix($0.0) })?.1 {
            guard let place = rest.firstRange(of: end) else { return false }
            rest = rest[place.upperBound...].drop(while: \.isWhitespace)
        }
        guard rest.hasPrefix("<svg"), let next = rest.dropFirst(4).first else { return false }
        return next.isWhitespace || next == ">" || next == ":"
    }
}

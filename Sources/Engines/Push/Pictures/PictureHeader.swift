/// What the first bytes of a picture say: its format and its size. Nothing is decoded.
package struct PictureHeader: Sendable, Hashable {
    /// The formats that phones and browsers show.
    package enum Format: String, Sendable, CaseIterable {
        case png, jpeg, gif, webp

        package var mediaType: String { "image/\(rawValue)" }
    }

    /// The largest width and height in pixels.
    package static let maxSide = 16_384
    /// The most pixels.
    package static let maxPixels = 50_000_000
    /// Bytes of a JPEG that are searched for its size.
    static let maxSearch = 1 << 20

    package let format: Format
    package let width: Int
    package let height: Int

    /// Reads a header; nil for other formats and for a header that is cut.
    package init?(_ bytes: [UInt8]) {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            // The first chunk is IHDR.
            guard bytes.count >= 24, bytes[12..<16].elementsEqual("IHDR".utf8) else { return nil }
            format = .png
            width = Self.big(bytes[16..<20])
            height = Self.big(bytes[20..<24])
        } else if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) {
            guard bytes.count >= 10 else { return nil }
            format = .gif
            width = Self.little(bytes[6..<8])
            height = Self.little(bytes[8..<10])
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            guard let size = Self.jpeg(bytes) else { return nil }
            format = .jpeg
            (width, height) = size
        } else if bytes.count >= 30, bytes.starts(with: "RIFF".utf8), bytes[8..<12].elementsEqual("WEBP".utf8) {
            guard let size = Self.webp(bytes) else { return nil }
            format = .webp
            (width, height) = size
        } else {
            return nil
        }
        guard width > 0, height > 0 else { return nil }
    }

    /// Whether a device may decode it: at most ``maxSide`` by ``maxSide`` and ``maxPixels``.
    package var isBounded: Bool {
        width <= Self.maxSide && height <= Self.maxSide && width * height <= Self.maxPixels
    }

    /// The size in the first frame header, after segments that are skipped by their lengths.
    private static func jpeg(_ bytes: [UInt8]) -> (Int, Int)? {
        let end = min(bytes.count, maxSearch)
        var place = 2
        while place + 9 <= end {
            guard bytes[place] == 0xFF else { return nil }
            let marker = bytes[place + 1]
            switch marker {
            case 0xFF: place += 1
            case 0x01, 0xD0...0xD7: place += 2
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                return (big(bytes[place + 7..<place + 9]), big(bytes[place + 5..<place + 7]))
            // The image's data, or its end, come after the size.
            case 0xD9, 0xDA: return nil
            default:
                let length = big(bytes[place + 2..<place + 4])
                guard length >= 2 else { return nil }
                place += 2 + length
            }
        }
        return nil
    }

    private static func webp(_ bytes: [UInt8]) -> (Int, Int)? {
        switch String(decoding: bytes[12..<16], as: UTF8.self) {
        case "VP8 ":
            guard bytes[23..<26].elementsEqual([0x9D, 0x01, 0x2A]) else { return nil }
            return (little(bytes[26..<28]) & 0x3FFF, little(bytes[28..<30]) & 0x3FFF)
        case "VP8L":
            guard bytes[20] == 0x2F else { return nil }
            let bits = little(bytes[21..<25])
            return ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        case "VP8X": return (little(bytes[24..<27]) + 1, little(bytes[27..<30]) + 1)
        default: return nil
        }
    }

    private static func big(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
    private static func little(_ bytes: ArraySlice<UInt8>) -> Int { big(ArraySlice(bytes.reversed())) }
}

extension PictureHeader: CustomStringConvertible {
    /// Such as `png, 640 x 480`.
    package var description: String { "\(format.rawValue), \(width) x \(height)" }
}

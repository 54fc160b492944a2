import GatewayAPI

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A JSON value in its original bytes, whose parts are located on demand.
///
/// The document is validated once, by ``init(whole:)``.
package struct JSONSlice: Sendable {
    /// The value's bytes.
    package let bytes: ArraySlice<UInt8>

    /// Validates a whole document; nil when it is not JSON.
    package init?(whole data: Data) {
        // Foundation's decoder lets control characters in strings pass, which other readers refuse.
        let bytes = Array(data)
        guard (try? JSONDocument(parsing: bytes)) != nil else { return nil }
        self.bytes = bytes[...].trimmed
    }

    private init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes.trimmed }

    /// The value of an object's member; the last one if the name repeats.
    package subscript(name: String) -> JSONSlice? { range(of: name).map { JSONSlice(bytes[$0]) } }

    /// The text of a string; nil for any other value.
    package var text: String? {
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\"") else { return nil }
        return JSONText.text(of: bytes.dropFirst().dropLast())
    }

    /// The elements of an array; nil for any other value.
    package var elements: [JSONSlice]? {
        guard bytes.first == UInt8(ascii: "[") else { return nil }
        var elements: [JSONSlice] = []
        var (depth, start, isInString, isEscaped) = (0, bytes.startIndex + 1, false, false)
        for (index, byte) in zip(bytes.indices, bytes) {
            if isInString {
                if !isEscaped, byte == UInt8(ascii: "\"") { isInString = false }
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ","):
                let isComma = byte == UInt8(ascii: ",")
                if !isComma { depth -= 1 }
                guard depth == (isComma ? 1 : 0) else { continue }
                let element = JSONSlice(bytes[start..<index])
                if !element.bytes.isEmpty { elements.append(element) }
                start = index + 1
            default: break
            }
        }
        return elements
    }

    /// Replaces the value of a member with a text; returns the object unchanged if it lacks the member.
    package func replacing(_ name: String, with text: String) -> JSONSlice {
        guard let range = range(of: name) else { return self }
        let before = Array(bytes[..<range.lowerBound])
        return JSONSlice((before + JSONText.literal(text) + bytes[range.upperBound...])[...])
    }

    private func range(of name: String) -> Range<Int>? {
        var scanner = MemberScanner { $0 == name }
        unsafe bytes.withUnsafeBytes { unsafe scanner.push($0) }
        guard let range = scanner.members.last?.range else { return nil }
        return bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound
    }
}

extension ArraySlice<UInt8> {
    fileprivate var trimmed: ArraySlice<UInt8> {
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let rest = drop(while: isSpace)
        guard let last = rest.lastIndex(where: { !isSpace($0) }) else { return rest }
        return rest[...last]
    }
}

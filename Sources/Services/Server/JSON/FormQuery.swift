package import Hummingbird

/// The query of a request, as forms and `URLSearchParams` write it: the one reading of queries of all own routes.
///
/// `+` is a space and `%2B` a plus. A plus in the offset of a time (`2026-01-31T12:00:00+01:00`) stays, since programs that
/// write times seldom escape it. A text whose escapes are not UTF-8 is taken as it came.
package enum FormQuery {
    /// Reads the part of a target after its `?`.
    ///
    /// - Returns: Names and values in their order; the value of a name without `=` is empty.
    package static func fields(of query: some StringProtocol) -> [(name: String, value: String)] {
        query.split(separator: "&").map { part in
            let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(String(words[0])), words.count == 2 ? decoded(String(words[1])) : "")
        }
    }

    private static func decoded(_ text: String) -> String {
        var bytes = Array(text.utf8)
        let kept = plusOfOffset(bytes)
        for place in bytes.indices where bytes[place] == UInt8(ascii: "+") && place != kept {
            bytes[place] = UInt8(ascii: " ")
        }
        let spaced = String(decoding: bytes, as: UTF8.self)
        return PercentEscapes.resolve(spaced) ?? spaced
    }

    /// The place of the plus in `:00+01:00` or `:00.25+01:00` at the end of a time; nil for other texts.
    private static func plusOfOffset(_ bytes: [UInt8]) -> Int? {
        func isDigit(_ place: Int) -> Bool { (0x30...0x39).contains(bytes[place]) }
        let plus = bytes.count - 6
        guard plus >= 3, bytes[plus] == UInt8(ascii: "+"), bytes[plus + 3] == UInt8(ascii: ":"),
            [1, 2, 4, 5].allSatisfy({ isDigit(plus + $0) })
        else { return nil }
        var place = plus - 1
        while place > 0, isDigit(place) { place -= 1 }
        if bytes[place] == UInt8(ascii: "."), place < plus - 1 {
            place -= 1
            while place > 0, isDigit(place) { place -= 1 }
        }
        return bytes[place] == UInt8(ascii: ":") && place < plus - 1 ? plus : nil
    }
}

extension Request {
    /// The fields of the query in their order, decoded.
    package var queryFields: [(name: String, value: String)] { FormQuery.fields(of: uri.query ?? "") }

    /// The value of a field of the query, unchecked: of several with one name the first; nil when it is absent.
    package func queryField(_ name: String) -> String? { queryFields.first { $0.name == name }?.value }
}

import Transport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Parses `{"model": …, "embeddings": [[…], …]}` directly from its bytes.
///
/// A general JSON decoder boxes every number and takes most of the time of an embedding call. This parser makes one
/// pass over the bytes. It converts usual numbers itself, with the result of `strtof`, which converts the rest. Keys may
/// have any order, and unknown keys are skipped.
@safe struct EmbeddingScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let end: Int
    private var position = 0

    private init(_ bytes: UnsafeBufferPointer<UInt8>) {
        unsafe self.bytes = bytes
        end = bytes.count
    }

    private func byte(_ index: Int) -> UInt8 { unsafe bytes[index] }

    /// Scans a response.
    ///
    /// - Throws: ``UpstreamError`` with ``UpstreamError/Code/invalidResponse`` for JSON of another shape, rows of
    ///   different lengths, or a number that does not fit a float.
    static func scan(_ bytes: UnsafeBufferPointer<UInt8>) throws(UpstreamError) -> Embeddings {
        var scanner = unsafe EmbeddingScanner(bytes)
        return try scanner.response()
    }

    private mutating func response() throws(UpstreamError) -> Embeddings {
        var model = ""
        var promptTokens = 0
        var rows: (values: [Float], count: Int, dimensions: Int)?
        try expect("{")
        if !skip("}") {
            repeat {
                let key = try string()
                try expect(":")
                switch key {
                case "model": model = try string()
                case "prompt_eval_count": promptTokens = Self.count(try number())
                case "embeddings": rows = try matrix()
                default: try skipValue(depth: 0)
                }
            } while skip(",")
            try expect("}")
        }
        skipSpace()
        guard position == end else { throw invalid("bytes follow its end") }
        guard let rows else { throw invalid("it has no embeddings") }
        return Embeddings(
            model: model, dimensions: rows.dimensions, count: rows.count, values: rows.values,
            promptTokens: promptTokens)
    }

    /// Converts a number of tokens; 0 when it is out of range.
    private static func count(_ number: Float) -> Int { (0...1e9).contains(number) ? Int(number) : 0 }

    private mutating func matrix() throws(UpstreamError) -> (values: [Float], count: Int, dimensions: Int) {
        var values: [Float] = []
        var count = 0
        var dimensions = 0
        try expect("[")
        if skip("]") { return ([], 0, 0) }
        repeat {
            let before = values.count
            try row(into: &values)
            let length = values.count - before
            if count == 0 {
                dimensions = length
                // Most responses have equal rows, so the first row's bytes predict the number of rows.
                values.reserveCapacity(length * max(1, end / max(1, position)))
            }
            guard length == dimensions, length > 0 else { throw invalid("its vectors differ in length") }
            count += 1
        } while skip(",")
        try expect("]")
        return (values, count, dimensions)
    }

    private mutating func row(into values: inout [Float]) throws(UpstreamError) {
        try expect("[")
        if skip("]") { return }
        repeat { values.append(try number()) } while skip(",")
        try expect("]")
    }

    private mutating func number() throws(UpstreamError) -> Float {
        skipSpace()
        if let usual = usualNumber() { return usual }
        let start = position
        while position < end, Self.isNumeric(byte(position)) { position += 1 }
        let length = position - start
        guard (1...63).contains(length), Self.beginsNumber(byte(start)) else {
            // Models whose numbers overflow send null, NaN or Infinity, as their server writes them.
            if start < end, [0x6E, 0x4E, 0x49].contains(byte(start)) {
                throw invalid("a vector has null, NaN or Infinity instead of a number")
            }
            throw invalid("a number is expected at byte \(start)")
        }
        // `strtof` needs a terminating zero, so the number is copied to the stack.
        let value = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text -> Float? in
            for index in 0..<length { unsafe text[index] = CChar(bitPattern: bytes[start + index]) }
            unsafe text[length] = 0
            var stop: UnsafeMutablePointer<CChar>?
            guard let text = text.baseAddress else { return nil }
            let value = unsafe strtof(text, &stop)
            return unsafe stop == text + length && value.isFinite ? value : nil
        }
        guard let value else { throw invalid("the number at byte \(start) does not fit a float") }
        return value
    }

    /// 1 to 10²², which a double holds exactly.
    private static let powers: [Double] = (0...22).map { (0..<$0).reduce(1.0) { power, _ in power * 10 } }

    /// Reads a number of at most 19 digits, if it is clear how it rounds; nil leaves it to `strtof`.
    ///
    /// An integer up to 2⁵³ times or divided by an exact power of ten is a correctly rounded double (Clinger, "How to
    /// read floating point numbers accurately", 1990). Rounded again, it is the nearest float unless it lies exactly
    /// between two.
    private mutating func usualNumber() -> Float? {
        var place = position
        let isNegative = place < end && byte(place) == UInt8(ascii: "-")
        if isNegative { place += 1 }
        var digits: UInt64 = 0
        var scale = 0
        let first = place
        while place < end, Self.isDigit(byte(place)) {
            digits = digits &* 10 &+ UInt64(byte(place) & 15)
            place += 1
        }
        var count = place - first
        guard count > 0 else { return nil }
        if place < end, byte(place) == UInt8(ascii: ".") {
            place += 1
            let point = place
            while place < end, Self.isDigit(byte(place)) {
                digits = digits &* 10 &+ UInt64(byte(place) & 15)
                place += 1
            }
            scale = point - place
            guard scale < 0 else { return nil }
            count -= scale
        }
        if place < end, byte(place) | 0x20 == UInt8(ascii: "e") {
            guard let exponent = exponent(at: &place) else { return nil }
            scale += exponent
        }
        guard count <= 19, digits <= 1 << 53, abs(scale) <= 22, place == end || !Self.isNumeric(byte(place)) else {
            return nil
        }
        var value = Double(digits)
        value = scale < 0 ? value / Self.powers[-scale] : value * Self.powers[scale]
        let isBetween = value.bitPattern & 0x1FFF_FFFF == 0x1000_0000
        let isNormal = value >= Double(Float.leastNormalMagnitude) && value <= Double(Float.greatestFiniteMagnitude)
        guard digits == 0 || isNormal && !isBetween else { return nil }
        position = place
        return Float(isNegative ? -value : value)
    }

    /// Reads the exponent from its letter on; nil for more than three digits or none.
    private func exponent(at place: inout Int) -> Int? {
        place += 1
        var isNegative = false
        if place < end, byte(place) == UInt8(ascii: "-") || byte(place) == UInt8(ascii: "+") {
            isNegative = byte(place) == UInt8(ascii: "-")
            place += 1
        }
        let first = place
        var exponent = 0
        while place < end, place - first < 4, Self.isDigit(byte(place)) {
            exponent = exponent * 10 + Int(byte(place) & 15)
            place += 1
        }
        guard (1...3).contains(place - first) else { return nil }
        return isNegative ? -exponent : exponent
    }

    private mutating func string() throws(UpstreamError) -> String {
        skipSpace()
        let start = position
        guard position < end, byte(position) == UInt8(ascii: "\"") else {
            throw invalid("a string is expected at byte \(position)")
        }
        position += 1
        while position < end {
            let byte = byte(position)
            position += 1
            if byte == UInt8(ascii: "\\") {
                position += 1
            } else if byte == UInt8(ascii: "\"") {
                let text = unsafe bytes[(start + 1)..<(position - 1)]
                // Only keys and model names get here; escapes stay unresolved.
                return unsafe String(decoding: text, as: UTF8.self)
            }
        }
        throw invalid("a string does not end")
    }

    private mutating func skipValue(depth: Int) throws(UpstreamError) {
        guard depth < 64 else { throw invalid("it is nested too deeply") }
        skipSpace()
        guard position < end else { throw invalid("it ends too early") }
        switch byte(position) {
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "{"):
            try expect("{")
            if skip("}") { return }
            repeat {
                _ = try string()
                try expect(":")
                try skipValue(depth: depth + 1)
            } while skip(",")
            try expect("}")
        case UInt8(ascii: "["):
            try expect("[")
            if skip("]") { return }
            repeat { try skipValue(depth: depth + 1) } while skip(",")
            try expect("]")
        default:
            let start = position
            while position < end, Self.isWord(byte(position)) { position += 1 }
            guard position > start else { throw invalid("a value is expected at byte \(start)") }
        }
    }

    private mutating func skipSpace() {
        while position < end {
            switch byte(position) {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard position < end, byte(position) == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(UpstreamError) {
        guard skip(character) else { throw invalid("\"\(character)\" is expected at byte \(position)") }
    }

    private func invalid(_ reason: String) -> UpstreamError {
        UpstreamError(.invalidResponse, "Ollama's embedding response cannot be read: \(reason)")
    }

    private static func beginsNumber(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "-") || isDigit(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
    private static func isNumeric(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
            || byte | 0x20 == UInt8(ascii: "e")
    }
    private static func isWord(_ byte: UInt8) -> Bool {
        isNumeric(byte) || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
    }
}

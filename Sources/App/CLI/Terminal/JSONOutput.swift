import Foundation
import Gateway
import Server

/// Encodes JSON for scripts: one line, sorted keys, control characters escaped.
enum JSONOutput {
    /// Encodes a value as one line of JSON.
    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return ControlScalar.escaped(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}

extension String {
    /// Pads the string with spaces to a width in characters.
    func padded(to width: Int) -> String {
        count >= width ? self : self + String(repeating: " ", count: width - count)
    }
}

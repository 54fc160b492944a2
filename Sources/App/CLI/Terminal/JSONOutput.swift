import Foundation
import Gateway
import Server

/// JSON for machines: one line, keys in a stable order, control characters escaped.
enum JSONOutput {
    /// Encodes a value.
    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return ControlScalar.escaped(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}

extension String {
    /// The string, filled up with spaces to a width.
    func padded(to width: Int) -> String {
        count >= width ? self : self + String(repeating: " ", count: width - count)
    }
}

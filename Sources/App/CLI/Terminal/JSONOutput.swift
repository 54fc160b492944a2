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

extension Terminal {
    /// Writes what a command did: as one line of JSON, or by a closure that writes it for people.
    static func report(_ summary: some Encodable, asJSON: Bool, text: () -> Void) throws {
        if asJSON { line(try JSONOutput.text(summary)) } else { text() }
    }
}

extension String {
    /// The string, filled up with spaces to a width.
    func padded(to width: Int) -> String {
        count >= width ? self : self + String(repeating: " ", count: width - count)
    }
}

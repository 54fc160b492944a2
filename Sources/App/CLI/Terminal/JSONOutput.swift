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

extension Terminal {
    /// Writes what a command did: as one line of JSON, or by a closure that writes it for people.
    static func report(_ summary: some Encodable, asJSON: Bool, text: () -> Void) throws {
        if asJSON { line(try JSONOutput.text(summary)) } else { text() }
    }
}

extension String {
    /// Pads the string with spaces to a width in characters.
    func padded(to width: Int) -> String {
        count >= width ? self : self + String(repeating: " ", count: width - count)
    }
}

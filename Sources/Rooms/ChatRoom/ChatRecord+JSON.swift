package import Foundation
package import GatewayAPI

extension ChatRecord {
    /// Reads a stored record; nil for one that is damaged.
    package init?(json: Data) {
        guard let read = try? JSONDecoder().decode(Self.self, from: json) else { return nil }
        self = read
    }

    /// The record as it is stored, with sorted keys.
    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

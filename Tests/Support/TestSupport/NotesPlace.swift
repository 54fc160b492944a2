import Foundation
import Testing

/// Where the notes of a gateway are.
package enum NotesPlace: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case file, postgres

    package var testDescription: String { rawValue }

    /// The place of the gateways of tests that name none: `TEST_ENGINE=postgres` runs them on a server.
    package static let usual =
        ProcessInfo.processInfo.environment["TEST_ENGINE"].flatMap(NotesPlace.init) ?? .file
}

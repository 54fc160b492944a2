package import Foundation

/// The checkout that the tests were built from.
package enum Repository {
    /// The folder with Package.swift.
    package static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
}

import Foundation
import GatewayAPI
import NoteSources
import Text
import Storage

/// Checks the sources that are followed.
enum SourceChecks {
    private static let name = "sources"

    /// - Parameter store: Where the notes are.
    static func all(_ store: any GatewayStore) -> Check {
        Check(name: name) {
            let sources = try await SourceService(store: store).all()
            let findings = sources.compactMap(finding)
            let followed = sources.count { $0.state == .following }
            return findings
                + (followed == 0 ? [] : [.ok(name, "\(Count.of(followed, "source")) followed while a gateway runs")])
        }
    }

    private static func finding(_ source: Source) -> Finding? {
        switch source.state {
        case .following, .paused:
            guard source.state == .following, let path = source.path, !FileManager.default.fileExists(atPath: path)
            else {
                return nil
            }
            return .problem(
                name, "\(source.name): there is no \(path)",
                remedy: "mount or restore it, or selene sources remove \(source.name) --keep-notes")
        case .away:
            return .problem(
                name, "\(source.name): \(source.message ?? "its folder cannot be reached")",
                remedy: "mount or restore it, or selene sources remove \(source.name) --keep-notes")
        case .asking:
            return .warning(
                name, "\(source.name): \(source.message ?? "files are missing")",
                remedy: "bring the files back, or selene sources resume \(source.name) --accept-missing")
        }
    }
}

import Foundation
import TestSupport
import Testing

@testable import Documents

/// Files for tests that are not part of the repository, beside the checkout. Tests without them skip and say so.
enum Shared {
    static let root = Repository.root.appending(path: "../shared")

    static func file(_ path: String) -> [UInt8]? {
        guard let data = try? Data(contentsOf: root.appending(path: path)) else {
            print("skipped: there is no ../shared/\(path)")
            return nil
        }
        return Array(data)
    }

    /// The files of a folder with an extension, sorted.
    static func files(_ folder: String, _ fileExtension: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)) ?? []
        if names.isEmpty { print("skipped: there is no ../shared/\(folder)") }
        return names.filter { $0.hasSuffix("." + fileExtension) }.sorted().map { "\(folder)/\($0)" }
    }

    /// The objects of a JSONL file.
    static func lines(_ path: String) -> [[String: Any]] {
        (file(path) ?? []).split(separator: 0x0A).compactMap {
            (try? JSONSerialization.jsonObject(with: Data($0))) as? [String: Any]
        }
    }
}

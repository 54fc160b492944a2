#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The folder of the index files, seen from outside a running gateway.
public struct IndexFolder: Sendable {
    /// Where it is.
    public let path: String

    /// Creates a view of a folder; it need not exist.
    public init(path: String) { self.path = path }

    /// Index files and the unfinished ones that a killed process left, by name; other files are not listed.
    public var names: [String] {
        let found = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return found.filter { $0.hasSuffix(".index") || isUnfinished($0) }.sorted()
    }

    /// Whether a name is that of an index file that was being written.
    public func isUnfinished(_ name: String) -> Bool { name.hasSuffix(".index.new") }

    /// Deletes one file of the folder.
    ///
    /// - Throws: What the file system says.
    public func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

    /// Deletes the files; they are made again from the database.
    public func removeFiles() {
        for name in names { try? FileManager.default.removeItem(atPath: path + "/" + name) }
    }
}

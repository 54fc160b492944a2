#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The folder of the index files, for use without a running gateway.
package struct IndexFolder: Sendable {
    package let path: String

    /// Creates a view of a folder; it need not exist.
    package init(path: String) { self.path = path }

    /// The folder of the index of notes in a server, whose embedding spaces have numbers of their own.
    package var ofServer: IndexFolder { IndexFolder(path: path + "/server") }

    /// The names of index files and of unfinished files left by a killed process. Other files are not listed.
    package var names: [String] {
        let found = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return found.filter { $0.hasSuffix(".index") || isUnfinished($0) }.sorted()
    }

    /// Whether a name belongs to an unfinished index file.
    package func isUnfinished(_ name: String) -> Bool { name.contains(".index.new") }

    /// Deletes one file of the folder.
    ///
    /// - Throws: The file system's error.
    package func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

    /// Deletes all index files; the gateway rebuilds them from the database.
    package func removeFiles() {
        for name in names { try? FileManager.default.removeItem(atPath: path + "/" + name) }
    }
}

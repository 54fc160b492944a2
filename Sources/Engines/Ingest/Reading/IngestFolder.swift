import Foundation

/// What is below a folder, without hidden files.
struct IngestFolder {
    private var all: [URL] = []
    /// Symbolic links, to files or folders.
    private(set) var links: [URL] = []
    /// Folders that cannot be read.
    private(set) var faults: [IngestProblem] = []

    /// The folder's path with a slash at its end.
    private var base = ""

    init() {}

    init(of folder: URL) throws(IngestError) {
        base = folder.path.hasSuffix("/") ? folder.path : folder.path + "/"
        var unreadable: [IngestProblem] = []
        let walker = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: [.fileSizeKey, .isDirectoryKey, .isSymbolicLinkKey],
            options: [.skipsHiddenFiles],
            errorHandler: { url, _ in
                unreadable.append(IngestProblem(location: url.path, reason: "cannot be read"))
                return true
            })
        guard let walker else { throw IngestError(message: "the folder \(folder.path) cannot be read") }
        for case let url as URL in walker {
            let values = try? url.resourceValues(forKeys: [.isDirectoryKey, .isSymbolicLinkKey])
            if values?.isSymbolicLink == true { links.append(url) }
            // A folder whose name ends like a file's is no file, and is listed as one that was skipped.
            if values?.isDirectory != true || !url.pathExtension.isEmpty { all.append(url) }
            if values?.isDirectory == true, !FileManager.default.isReadableFile(atPath: url.path),
                values?.isSymbolicLink != true
            {
                unreadable.append(IngestProblem(location: url.path, reason: "is a folder that cannot be read"))
            }
        }
        var seen: Set<String> = []
        faults = unreadable.filter { seen.insert($0.location).inserted }
    }

    /// The files with a name below the folder that is wanted, sorted by path.
    func files(_ isWanted: (String) -> Bool) -> [URL] {
        all.filter { isWanted(name(of: $0)) }.sorted { $0.path < $1.path }
    }

    /// The path of a file below the folder.
    func name(of url: URL) -> String {
        url.path.hasPrefix(base) ? String(url.path.dropFirst(base.count)) : url.lastPathComponent
    }

    /// The paths of all files below the folder.
    var names: [String] { all.map(name) }

    /// The number of other files, by ending.
    func others(than isWanted: (String) -> Bool) -> [String: Int] {
        var counts: [String: Int] = [:]
        let known = Set(links.map(\.path))
        for url in all where !isWanted(name(of: url)) && !known.contains(url.path) {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), !isFolder.boolValue else {
                continue
            }
            counts[url.pathExtension.lowercased(), default: 0] += 1
        }
        return counts
    }
}

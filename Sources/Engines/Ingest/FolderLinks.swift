import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Tells files below a folder from symbolic links that lead out of it.
struct FolderLinks {
    /// The folder's path without links, with a slash at its end; nil when it cannot be found.
    private let root: String?

    init(below folder: URL) {
        root = Self.real(folder.path).map { $0.hasSuffix("/") ? $0 : $0 + "/" }
    }

    /// Splits what was found into ordinary files, be it by a link to one below the folder, and the rest.
    func sort(_ found: [URL]) -> (files: [URL], skipped: [String]) {
        var files: [URL] = []
        var skipped: [String] = []
        for url in found {
            if isWithin(url) { files.append(url) } else { skipped.append(url.path) }
        }
        return (files, skipped)
    }

    /// Whether a path leads to an ordinary file below the folder, whatever links are on the way.
    private func isWithin(_ url: URL) -> Bool {
        guard let root, let path = Self.real(url.path), path.hasPrefix(root) else { return false }
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private static func real(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }
}

import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Separates files below a folder from symbolic links that lead out of it.
struct FolderLinks {
    /// The folder's path with links resolved and a slash at its end; nil when the folder does not exist.
    private let root: String?

    init(below folder: URL) {
        root = Self.real(folder.path).map { $0.hasSuffix("/") ? $0 : $0 + "/" }
    }

    /// Splits the found paths into regular files below the folder, also through links, and the rest.
    func sort(_ found: [URL]) -> (files: [URL], skipped: [String]) {
        var files: [URL] = []
        var skipped: [String] = []
        for url in found {
            if isWithin(url) { files.append(url) } else { skipped.append(url.path) }
        }
        return (files, skipped)
    }

    /// The links that lead to a folder elsewhere, whose files are not read.
    func foreignFolders(_ links: [URL]) -> [String] {
        links.filter { link in
            guard let root, let path = Self.real(link.path), !(path + "/").hasPrefix(root) else { return false }
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        }.map(\.path)
    }

    /// Whether a path leads to a regular file below the folder, through any links.
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

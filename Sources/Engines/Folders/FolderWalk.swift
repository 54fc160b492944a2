#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The size and times of a file, by which a change is seen without reading it.
package struct FileSign: Sendable, Hashable {
    /// In bytes.
    package var size: Int64
    /// When the content was modified, in nanoseconds since 1970.
    package var modified: Int64
    /// When the file was put there, renamed or modified, in nanoseconds since 1970. A program can set ``modified``, not this.
    package var changed: Int64

    package init(size: Int64, modified: Int64, changed: Int64) {
        (self.size, self.modified, self.changed) = (size, modified, changed)
    }

    init(_ status: stat) {
        size = Int64(status.st_size)
        #if canImport(Darwin)
        let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
        let (modified, changed) = (status.st_mtim, status.st_ctim)
        #endif
        self.modified = Int64(modified.tv_sec) &* 1_000_000_000 &+ Int64(modified.tv_nsec)
        self.changed = Int64(changed.tv_sec) &* 1_000_000_000 &+ Int64(changed.tv_nsec)
    }

    /// The sign of a file, through links; nil when there is no ordinary file.
    package init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(status)
    }
}

/// Why a folder cannot be listed: it is not there, or cannot be read.
package struct FolderFault: Error, Sendable, Hashable, CustomStringConvertible {
    package var description: String

    package init(description: String) { self.description = description }
}

/// Lists the files below a folder with their signs.
///
/// Hidden files and folders are left out, and those that the rules leave out. Links are followed to ordinary files within the
/// folder, never to folders.
package struct FolderWalk: Sendable {
    /// The most files of one folder, and the deepest nesting.
    package static let (maxFiles, maxDepth) = (1_000_000, 64)

    /// What was found.
    package struct Listing: Sendable {
        /// Each file that is wanted, in the order of their paths.
        package var files: [(path: FilePath, sign: FileSign)] = []
        /// What could not be listed, with the reason. What is below is unknown, and not gone.
        package var faults: [(path: FilePath, reason: String)] = []

        package init() {}
    }

    /// The folder, links resolved.
    package let root: String
    private let rules: IgnoreRules
    private let isWanted: @Sendable (String) -> Bool

    /// - Parameter isWanted: Whether a file of this name is listed.
    /// - Throws: ``FolderFault``.
    package init(
        _ folder: String, leavingOut rules: IgnoreRules = IgnoreRules(), isWanted: @escaping @Sendable (String) -> Bool
    ) throws(FolderFault) {
        guard let root = Self.real(folder) else { throw FolderFault(description: "there is no folder \(folder)") }
        (self.root, self.rules, self.isWanted) = (root, rules, isWanted)
    }

    /// Lists what is at a path, and below it.
    ///
    /// - Parameters:
    ///   - path: A file or a folder; empty for all.
    ///   - entering: Called with each folder before it is read.
    /// - Throws: ``FolderFault`` when the folder itself is not there any more, or has more than ``maxFiles``.
    package func list(
        _ path: FilePath = FilePath(""), entering: (FilePath) -> Void = { _ in }
    ) throws(FolderFault) -> Listing {
        var status = stat()
        guard stat(root, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw FolderFault(description: "the folder \(root) is not there")
        }
        var listing = Listing()
        if path.text.isEmpty {
            try walk(path, depth: 0, &listing, entering)
        } else if !isLeftOut(path) {
            try add(
                path, name: String(path.name), depth: path.text.utf8.count { $0 == UInt8(ascii: "/") } + 1, &listing,
                entering)
        }
        listing.files.sort { $0.path < $1.path }
        return listing
    }

    /// Whether a path, or a folder above it, is hidden or left out by the rules.
    private func isLeftOut(_ path: FilePath) -> Bool {
        var above = FilePath("")
        let parts = path.text.split(separator: "/")
        for (place, part) in parts.enumerated() {
            above = above.appending(String(part))
            if part.utf8.first == UInt8(ascii: ".") { return true }
            if place < parts.count - 1, rules.leavesOut(above, isFolder: true) { return true }
        }
        return false
    }

    private func walk(
        _ folder: FilePath, depth: Int, _ listing: inout Listing, _ entering: (FilePath) -> Void
    ) throws(FolderFault) {
        guard depth <= Self.maxDepth else {
            listing.faults.append((folder, "is more than \(Self.maxDepth) folders deep"))
            return
        }
        entering(folder)
        guard let stream = opendir(absolute(folder)) else {
            // One that went in the meantime has no files.
            if errno != ENOENT, errno != ENOTDIR { listing.faults.append((folder, "is a folder that cannot be read")) }
            if folder.text.isEmpty { throw FolderFault(description: "the folder \(root) cannot be read") }
            return
        }
        var names: [String] = []
        var isCut = false
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                isCut = errno != 0
                break
            }
            let bytes = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: UInt8.self, capacity: 256) { start in
                    Array(UnsafeBufferPointer(start: start, count: strnlen(start, 255)))
                }
            }
            guard let first = bytes.first, first != UInt8(ascii: ".") else { continue }
            if let name = String(validating: bytes, as: UTF8.self) {
                names.append(name)
            } else if isWanted(String(decoding: bytes, as: UTF8.self)) {
                let shown = folder.appending(String(decoding: bytes, as: UTF8.self))
                listing.faults.append((shown, "has a name that is not UTF-8"))
            }
        }
        closedir(stream)
        if isCut { listing.faults.append((folder, "is a folder that cannot be read to its end")) }
        for name in names { try add(folder.appending(name), name: name, depth: depth + 1, &listing, entering) }
    }

    private func add(
        _ path: FilePath, name: String, depth: Int, _ listing: inout Listing, _ entering: (FilePath) -> Void
    ) throws(FolderFault) {
        var status = stat()
        let whole = absolute(path)
        guard lstat(whole, &status) == 0 else {
            if errno != ENOENT, errno != ENOTDIR { listing.faults.append((path, "cannot be read")) }
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR:
            if !rules.leavesOut(path, isFolder: true) { try walk(path, depth: depth, &listing, entering) }
            return
        case S_IFLNK:
            guard isWanted(name), !rules.leavesOut(path, isFolder: false) else { return }
            guard stat(whole, &status) == 0, status.st_mode & S_IFMT == S_IFREG, let target = Self.real(whole),
                target.hasPrefix(root == "/" ? root : root + "/")
            else {
                listing.faults.append((path, "is a link to no file of this folder"))
                return
            }
        case S_IFREG:
            guard isWanted(name), !rules.leavesOut(path, isFolder: false) else { return }
        default: return
        }
        guard listing.files.count < Self.maxFiles else {
            throw FolderFault(description: "the folder \(root) has more than \(Self.maxFiles) files")
        }
        listing.files.append((path, FileSign(status)))
    }

    /// The whole path of one below the folder.
    package func absolute(_ path: FilePath) -> String {
        path.text.isEmpty ? root : (root == "/" ? "" : root) + "/" + path.text
    }

    private static func real(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(validatingCString: found)
    }
}

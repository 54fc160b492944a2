package import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A file system of a few megabytes, which can be filled to the last byte. Only root of a Linux can make one.
package struct SmallDisk {
    package let url: URL
    private var filler: URL { url.appending(path: "filler") }

    /// Whether this process may mount one.
    package static let isPossible: Bool = {
        #if os(Linux)
        guard geteuid() == 0 else { return false }
        let folder = FileManager.default.temporaryDirectory.appending(path: "selene-disk-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        guard (try? mount(folder, megabytes: 1)) != nil else { return false }
        try? unmount(folder)
        return true
        #else
        return false
        #endif
    }()

    /// Runs a test with such a disk.
    package static func with(megabytes: Int, _ body: (SmallDisk) async throws -> Void) async throws {
        let disk = SmallDisk(
            url: FileManager.default.temporaryDirectory.appending(path: "selene-disk-\(UUID().uuidString)"))
        try mount(disk.url, megabytes: megabytes)
        defer {
            try? unmount(disk.url)
            try? FileManager.default.removeItem(at: disk.url)
        }
        try await body(disk)
    }

    /// Takes all room that there is.
    package func fill() throws {
        let descriptor = open(filler.path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard descriptor >= 0 else { throw POSIXError(.EIO) }
        defer { close(descriptor) }
        for size in [1 << 20, 4096, 1] {
            let block = [UInt8](repeating: 0x78, count: size)
            while block.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) > 0 {}
        }
    }

    /// Gives the room back.
    package func free() throws { try FileManager.default.removeItem(at: filler) }

    private static func mount(_ folder: URL, megabytes: Int) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try run(["mount", "-t", "tmpfs", "-o", "size=\(megabytes)m,mode=700", "none", folder.path])
    }

    private static func unmount(_ folder: URL) throws { try run(["umount", "--lazy", folder.path]) }

    private static func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw POSIXError(.EPERM) }
    }
}

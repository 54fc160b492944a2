#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import Folders

/// What the system tells of a folder. Another program's view of the same events is compared where it is installed.
@Suite struct FolderWatchTests {
    /// Watches a folder and collects the paths that were touched.
    private final class Watched: Sendable {
        let watch: FolderWatch
        let walk: FolderWalk
        private let seen = Locked<Set<String>>([])

        init?(_ folder: TemporaryFolder) throws {
            walk = try FolderWalk(folder.url.path) { $0.hasSuffix(".md") }
            guard let watch = FolderWatch(root: walk.root, wake: {}) else { return nil }
            self.watch = watch
            let made = watch
            _ = try walk.list { made.watch($0) }
        }

        /// Waits until paths were touched, and watches new folders as the follower does.
        func see(_ paths: String...) async throws -> Bool {
            try await eventually {
                if let ready = watch.take(quietFor: .zero).ready {
                    seen.change { $0.formUnion(ready.paths.map(\.text)) }
                    for path in ready.paths { _ = try walk.list(path) { watch.watch($0) } }
                }
                return seen.value.isSuperset(of: paths)
            }
        }

        var all: Set<String> { seen.value }
    }

    @Test func `each change of a file touches its path`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("a.md", "1")
        try folder.write("d/b.md", "1")
        guard let watched = try Watched(folder) else { return }
        try folder.write("a.md", "2")
        #expect(try await watched.see("a.md"))
        let manager = FileManager.default
        try manager.moveItem(atPath: folder.path("d/b.md"), toPath: folder.path("d/c.md"))
        #expect(try await watched.see("d/b.md", "d/c.md"))
        try manager.removeItem(atPath: folder.path("a.md"))
        try folder.write("new/deep/x.md", "1")
        #expect(try await watched.see("a.md", "new"))
        // The folder is watched from then on, and so is one that moved there.
        try folder.write("new/deep/y.md", "1")
        #expect(try await watched.see("new/deep/y.md"))
        try manager.moveItem(atPath: folder.path("new"), toPath: folder.path("old"))
        #expect(try await watched.see("old"))
        try folder.write("old/deep/z.md", "1")
        #expect(try await watched.see("old/deep/z.md"))
        #expect(!watched.all.contains("new/deep/z.md"))
        watched.watch.end()
    }

    @Test func `the file system of a path is that of the longest mount, the last one of several`() {
        let mounts = """
            none / rootfs rw 0 0
            /dev/sda1 / ext4 rw 0 0
            server:/x /mnt/my\\040notes nfs4 rw 0 0
            host /home fuse.sshfs rw 0 0
            broken
            """
        func kind(_ path: String) -> String? { FolderWatch.fileSystem(of: path, in: mounts) }
        #expect(kind("/var/x") == "ext4" && kind("/mnt/my notes/a") == "nfs4" && kind("/home") == "fuse.sshfs")
        #expect(kind("/homes") == "ext4" && FolderWatch.fileSystem(of: "/a", in: "") == nil)
    }

    @Test func `a folder that goes, and too many paths, mean everything`() async throws {
        let folder = try TemporaryFolder()
        guard let watched = try Watched(folder) else { return }
        for number in 0...FolderWatch.maxPaths { watched.watch.touch(FilePath("\(number)")) }
        #expect(watched.watch.take(quietFor: .zero).ready?.isAll == true)
        #expect(watched.watch.take(quietFor: .zero) == (nil, false))
        watched.watch.touch(FilePath("a"))
        let (ready, isWaiting) = watched.watch.take(quietFor: .seconds(3600))
        #expect(ready == nil && isWaiting)
        try FileManager.default.removeItem(at: folder.url)
        try await waitUntil { watched.watch.take(quietFor: .zero).ready?.isAll == true }
        watched.watch.end()
    }
}
#endif

#if os(Linux)
// Dispatch's sources may be used from any thread, and do not say so.
@preconcurrency import Dispatch
import Foundation
import Glibc
import Synchronization

/// Tells which paths below a folder were touched, by the system's own events (inotify). It says where to look, and never what
/// happened there.
///
/// The descriptor and the tables are behind one lock.
package final class FolderWatch: Sendable {
    /// The most paths that are remembered. With more, the whole folder is to be looked at.
    static let maxPaths = 10_000

    /// Where to look.
    package struct Touched: Sendable, Hashable {
        package var paths: [FilePath] = []
        /// Whether events were lost, or the folder itself went: look at everything.
        package var isAll = false
    }

    private struct State {
        var descriptor: Int32
        /// The folder of each watch, by its number.
        var folders: [Int32: FilePath] = [:]
        /// When each path was touched last.
        var touched: [FilePath: ContinuousClock.Instant] = [:]
        var isAll = false
        /// Whether the system takes no more watches.
        var isFull = false
    }

    private let root: String
    private let state: Mutex<State>
    private let reading: any DispatchSourceRead
    private let wake: @Sendable () -> Void

    private static let mask =
        UInt32(IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE)
        | UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK)

    /// - Parameters:
    ///   - root: A folder, links resolved.
    ///   - wake: Called when something was touched.
    /// - Returns: nil where there are no events: on network and FUSE mounts, and when the system has no more to give.
    package init?(root: String, wake: @escaping @Sendable () -> Void) {
        guard Self.tells(root) else { return nil }
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        self.root = root
        state = Mutex(State(descriptor: descriptor))
        self.wake = wake
        let queue = DispatchQueue(label: "selene.folders", qos: .utility)
        reading = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        reading.setEventHandler { [weak self] in self?.read() }
        reading.setCancelHandler { close(descriptor) }
        reading.activate()
    }

    deinit { reading.cancel() }

    /// Ends the events.
    package func end() {
        // The number of the descriptor may be another file's then.
        state.withLock { $0.descriptor = -1 }
        reading.cancel()
    }

    /// Takes a path for touched now.
    package func touch(_ path: FilePath) { state.withLock { Self.touch(path, .now, &$0) } }

    /// Watches a folder. Call it before the folder is read, so that nothing is missed.
    package func watch(_ folder: FilePath) {
        let path = folder.text.isEmpty ? root : (root == "/" ? "" : root) + "/" + folder.text
        state.withLock { state in
            let number = inotify_add_watch(state.descriptor, path, Self.mask)
            if number >= 0 {
                state.folders[number] = folder
            } else if errno == ENOSPC || errno == ENOMEM {
                state.isFull = true
            }
        }
    }

    /// Whether the system refused a watch for want of room, so that folders are not watched.
    package var isFull: Bool { state.withLock { $0.isFull } }

    /// Takes what was touched and has been quiet for a time. Returns nil when nothing is ready, and whether something is waiting.
    package func take(quietFor time: Duration) -> (ready: Touched?, isWaiting: Bool) {
        let limit = ContinuousClock.now - time
        return state.withLock { state in
            if state.isAll {
                state.isAll = false
                state.touched = [:]
                return (Touched(isAll: true), false)
            }
            let ready = state.touched.filter { $0.value <= limit }.keys
            for path in ready { state.touched[path] = nil }
            let paths = ready.sorted()
            return (paths.isEmpty ? nil : Touched(paths: paths), !state.touched.isEmpty)
        }
    }

    private func read() {
        state.withLock { state in
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = Glibc.read(state.descriptor, &buffer, buffer.count)
                guard count > 0 else { break }
                Self.take(buffer[..<count], &state)
            }
        }
        wake()
    }

    /// Reads events: number, mask, cookie and length of the name, each of four bytes, then the name with zeros behind it.
    private static func take(_ bytes: ArraySlice<UInt8>, _ state: inout State) {
        let now = ContinuousClock.now
        var place = bytes.startIndex
        func word(_ offset: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(bytes[place + offset + $1]) << UInt32(8 * ($1)) }
        }
        while place + 16 <= bytes.endIndex {
            let (number, mask, length) = (Int32(bitPattern: word(0)), word(4), Int(word(12)))
            guard place + 16 + length <= bytes.endIndex else { break }
            let name = bytes[(place + 16)..<(place + 16 + length)].prefix { $0 != 0 }
            place += 16 + length
            note(number, mask, name, now, &state)
        }
    }

    private static func note(
        _ number: Int32, _ mask: UInt32, _ name: ArraySlice<UInt8>, _ now: ContinuousClock.Instant, _ state: inout State
    ) {
        if mask & UInt32(IN_Q_OVERFLOW) != 0 { state.isAll = true }
        guard let folder = state.folders[number] else { return }
        if mask & UInt32(IN_IGNORED) != 0 { state.folders[number] = nil }
        if mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT) != 0, folder.text.isEmpty { state.isAll = true }
        guard name.first != UInt8(ascii: "."), !name.isEmpty else { return }
        guard let text = String(validating: name, as: UTF8.self) else {
            // The listing says what is wrong with the name.
            return touch(folder, now, &state)
        }
        let path = folder.appending(text)
        if mask & UInt32(IN_ISDIR) != 0 {
            if mask & UInt32(IN_ATTRIB | IN_MODIFY | IN_CLOSE_WRITE) != 0, mask & UInt32(IN_CREATE | IN_MOVED_TO) == 0 {
                return
            }
            if mask & UInt32(IN_MOVED_FROM) != 0 {
                for (other, known) in state.folders where known.isWithin(path) {
                    inotify_rm_watch(state.descriptor, other)
                    state.folders[other] = nil
                }
            }
        }
        touch(path, now, &state)
    }

    private static func touch(_ path: FilePath, _ now: ContinuousClock.Instant, _ state: inout State) {
        guard state.touched.count < maxPaths || state.touched[path] != nil else {
            state.isAll = true
            return
        }
        state.touched[path] = now
    }

    /// Whether a file system tells of changes that other machines or programs make: none over a network, nor FUSE.
    private static func tells(_ path: String) -> Bool {
        let silent: Set = [
            "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "coda", "ncpfs", "vboxsf", "virtiofs",
        ]
        guard let mounts = try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8) else { return false }
        let kind = fileSystem(of: path, in: mounts)
        return kind.map { !silent.contains($0) && !$0.hasPrefix("fuse") } ?? false
    }

    /// The kind of the file system of a path by the system's list of mounts: device, place and kind in each line, with spaces as
    /// `\040`. Of several the last one with the longest place counts.
    static func fileSystem(of path: String, in mounts: String) -> String? {
        var found: (length: Int, kind: Substring)?
        for line in mounts.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 2 else { continue }
            let place = fields[1].replacing("\\040", with: " ").replacing("\\011", with: "\t").replacing(
                "\\134", with: "\\")
            guard FilePath(path).isWithin(FilePath(place == "/" ? "" : String(place))),
                place.utf8.count >= found?.length ?? 0
            else { continue }
            found = (place.utf8.count, fields[2])
        }
        return found.map { String($0.kind) }
    }
}
#else
/// No events on this system: folders are looked at from time to time.
package final class FolderWatch: Sendable {
    package struct Touched: Sendable, Hashable {
        package var paths: [FilePath] = []
        package var isAll = false
    }

    package var isFull: Bool { true }

    package init?(root: String, wake: @escaping @Sendable () -> Void) { return nil }
    package func touch(_ path: FilePath) {}
    package func end() {}
    package func watch(_ folder: FilePath) {}
    package func take(quietFor time: Duration) -> (ready: Touched?, isWaiting: Bool) { (nil, false) }
}
#endif

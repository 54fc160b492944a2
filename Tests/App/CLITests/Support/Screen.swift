import Foundation
import Synchronization
import TestSupport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// What a process shows on a pseudo terminal.
final class Screen: Sendable {
    private let descriptor: Int32
    private let text = Mutex("")

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { break }
                text.withLock { $0 += String(decoding: buffer[..<count], as: UTF8.self) }
            }
            close(descriptor)
        }
    }

    func type(_ line: String) { _ = Array(line.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } }

    func shows(_ wanted: String) async -> Bool { await eventually { self.text.withLock { $0.contains(wanted) } } }

    /// Starts a process on a pseudo terminal.
    static func start(_ process: Process) throws -> (Process, Screen) {
        let (master, slave) = try pseudoTerminal()
        let terminal = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
        process.standardInput = terminal
        process.standardOutput = terminal
        process.standardError = terminal
        let screen = Screen(master)
        try process.run()
        return (process, screen)
    }

    /// Both ends of a pseudo terminal.
    private static func pseudoTerminal() throws -> (Int32, Int32) {
        #if canImport(Darwin)
        let master = posix_openpt(O_RDWR | O_NOCTTY)
        guard master >= 0, grantpt(master) == 0, unlockpt(master) == 0, let name = ptsname(master) else {
            throw POSIXError(.ENOTTY)
        }
        let slave = open(name, O_RDWR | O_NOCTTY)
        #else
        // What grantpt and its siblings do, which Glibc's module does not have: TIOCSPTLCK and TIOCGPTN.
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (locked, number) = (Int32(0), Int32(0))
        guard master >= 0, ioctl(master, 0x4004_5431, &locked) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
            throw POSIXError(.ENOTTY)
        }
        let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        #endif
        guard slave >= 0 else { throw POSIXError(.ENOTTY) }
        return (master, slave)
    }
}

internal import CChildProcess

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// An open file or an end of a pipe, closed with this value. Programs that are started do not inherit it.
struct Descriptor: ~Copyable {
    let number: CInt

    /// Takes a descriptor over; it is moved above the standard ones and those that a child process expects.
    ///
    /// - Parameter raw: Closed in any case; negative numbers are errors of the system.
    init?(taking raw: CInt) {
        guard raw >= 0 else { return nil }
        let moved = fcntl(raw, F_DUPFD_CLOEXEC, 10)
        close(raw)
        guard moved >= 0 else { return nil }
        number = moved
    }

    deinit { close(number) }

    /// Reads up to `count` bytes; empty at the end, nil for an error.
    func read(upTo count: Int) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: count)
        while true {
            let got = unsafe buffer.withUnsafeMutableBytes { unsafe systemRead(number, $0.baseAddress, $0.count) }
            if got >= 0 { return Array(buffer.prefix(got)) }
            if errno != EINTR { return nil }
        }
    }

    /// Writes all bytes; false for an error, such as a reader that is gone.
    func write(_ bytes: [UInt8]) -> Bool {
        var place = 0
        while place < bytes.count {
            let count = unsafe bytes[place...].withUnsafeBytes { unsafe systemWrite(number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            place += count
        }
        return true
    }

    /// Waits until there are bytes or the end; false after `milliseconds`.
    func waitForBytes(milliseconds: Int) -> Bool {
        var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, CInt(clamping: max(0, milliseconds))) > 0
    }
}

/// Both ends of a pipe.
struct DescriptorPair: ~Copyable {
    let reading: Descriptor
    let writing: Descriptor

    /// A new pipe; nil when the process has no descriptors left.
    init?() {
        var ends: [CInt] = [-1, -1]
        guard unsafe child_pipe(&ends) == 0, let reading = Descriptor(taking: ends[0]) else {
            if ends[1] >= 0 { close(ends[1]) }
            return nil
        }
        guard let writing = Descriptor(taking: ends[1]) else { return nil }
        self.reading = reading
        self.writing = writing
    }
}

private func systemRead(_ file: CInt, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(file, buffer, count)
}

private func systemWrite(_ file: CInt, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(file, buffer, count)
}

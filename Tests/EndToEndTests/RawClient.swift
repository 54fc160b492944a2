import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A TCP client that sends what it is told and reads only when asked: what no well-behaved HTTP client does.
final class RawClient {
    private let descriptor: Int32

    /// Connects to a port of this machine.
    ///
    /// - Parameter receiveBuffer: Bytes that the system keeps for it at most; the system's own choice when nil.
    init(port: Int, receiveBuffer: Int32? = nil) throws {
        #if canImport(Darwin)
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var timeout = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
    }

    func send(_ text: String) throws {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let sent = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard sent > 0 else { throw POSIXError(.EPIPE) }
            bytes = bytes.dropFirst(sent)
        }
    }

    /// Everything until the server closes, or nothing comes for ten seconds.
    ///
    /// Reads on a thread of its own: a blocked thread of the cooperative pool, of which there may be two, is one that
    /// the server under test lacks.
    func readAll() async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [descriptor] in
                var all: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 64 << 10)
                while true {
                    let count = read(descriptor, &buffer, buffer.count)
                    guard count > 0 else { break }
                    all += buffer[..<count]
                }
                continuation.resume(returning: String(decoding: all, as: UTF8.self))
            }
        }
    }

    /// What comes up to and with a mark, byte by byte, so that what follows is still to be read.
    func readThrough(_ mark: String) async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [descriptor] in
                var all: [UInt8] = []
                var byte: UInt8 = 0
                while all.suffix(mark.utf8.count) != Array(mark.utf8)[...], read(descriptor, &byte, 1) == 1 {
                    all.append(byte)
                }
                continuation.resume(returning: String(decoding: all, as: UTF8.self))
            }
        }
    }

    /// Sends bytes on a thread of its own, as fast as the server takes them, and counts them.
    func sendInBackground(_ bytes: [UInt8], counting sent: @escaping @Sendable (Int) -> Void) {
        DispatchQueue.global().async { [descriptor] in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.prefix(64 << 10).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                guard count > 0 else { return }
                sent(count)
                rest = rest.dropFirst(count)
            }
        }
    }

    func close() {
        #if canImport(Darwin)
        Darwin.close(descriptor)
        #else
        Glibc.close(descriptor)
        #endif
    }
}

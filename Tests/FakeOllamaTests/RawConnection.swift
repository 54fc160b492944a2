import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A TCP connection that sends what it is told and shows what comes back, byte by byte.
final class RawConnection: Sendable {
    private let descriptor: Int32

    init(port: Int) throws {
        #if canImport(Darwin)
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
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

    /// What came, and whether the end was a reset.
    struct Reading: Sendable {
        var text = ""
        /// The times at which something came, in seconds since the first.
        var times: [Double] = []
        var isReset = false

        var head: String { text.components(separatedBy: "\r\n\r\n").first ?? "" }
        var body: String { text.components(separatedBy: "\r\n\r\n").dropFirst().joined(separator: "\r\n\r\n") }
        /// The chunks of a chunked body.
        var chunks: [String] {
            var chunks: [String] = []
            var rest = Array(body.utf8)[...]
            while let end = rest.firstIndex(of: 13),
                let size = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16), size > 0,
                rest.endIndex - end > size + 2
            {
                let start = end + 2
                chunks.append(String(decoding: rest[start..<start + size], as: UTF8.self))
                rest = rest[(start + size)...].dropFirst(2)
            }
            return chunks
        }
    }

    /// Everything until the server closes or a text came; on a thread of its own, for a blocked thread of the
    /// cooperative pool is one that the server lacks.
    func read(until mark: String? = nil) async -> Reading {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [descriptor] in
                var reading = Reading()
                var bytes: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 64 << 10)
                let start = ContinuousClock.now
                while true {
                    let count = recv(descriptor, &buffer, buffer.count, 0)
                    if count < 0 { reading.isReset = errno == ECONNRESET }
                    guard count > 0 else { break }
                    reading.times.append((ContinuousClock.now - start) / .seconds(1))
                    bytes += buffer[..<count]
                    if let mark, String(decoding: bytes, as: UTF8.self).contains(mark) { break }
                }
                reading.text = String(decoding: bytes, as: UTF8.self)
                continuation.resume(returning: reading)
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

    /// One request that closes its connection, and all that comes back.
    static func ask(
        port: Int, _ method: String, _ path: String, _ body: String = "", headers: [String] = []
    ) async throws -> Reading {
        let connection = try RawConnection(port: port)
        try connection.send(request(method, path, body, headers: headers + ["Connection: close"]))
        let reading = await connection.read()
        connection.close()
        return reading
    }

    static func request(_ method: String, _ path: String, _ body: String = "", headers: [String] = []) -> String {
        let host = headers.contains { $0.lowercased().hasPrefix("host:") } ? [] : ["Host: localhost"]
        let lines = ["\(method) \(path) HTTP/1.1"] + host + headers + ["Content-Length: \(body.utf8.count)"]
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }
}

import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A TCP client that sends any bytes and reads only when asked, as no correct HTTP client does.
///
/// Reads run on threads of their own: a blocked thread of the cooperative pool is missing for the server under test.
package final class RawClient: Sendable {
    private let descriptor: Int32
    /// What is sent in the background.
    private let sending = DispatchGroup()
    private let hasSent = Atomic(false)

    /// Connects to a port of this machine. Reads end after 20 seconds without a byte.
    ///
    /// - Parameter receiveBuffer: Size of the kernel's receive buffer in bytes; the system's default when nil.
    package init(port: Int, receiveBuffer: Int32? = nil) throws {
        descriptor = try LoopbackSocket.connected(to: port, timeout: 20, receiveBuffer: receiveBuffer)
    }

    /// What came, and whether the end was a reset.
    package struct Reading: Sendable {
        package var text = ""
        /// The times at which something came, in seconds since the first read.
        package var times: [Double] = []
        package var isReset = false
        /// Whether nothing came for 20 seconds.
        package var isTimedOut = false

        package var head: String { text.components(separatedBy: "\r\n\r\n").first ?? "" }
        package var body: String {
            text.components(separatedBy: "\r\n\r\n").dropFirst().joined(separator: "\r\n\r\n")
        }

        /// The chunks of a chunked body.
        package var chunks: [String] {
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

    package func send(_ text: String) throws {
        guard LoopbackSocket.write(text.utf8, to: descriptor) else { throw POSIXError(.EPIPE) }
    }

    package func send(_ bytes: [UInt8]) throws {
        guard LoopbackSocket.write(bytes, to: descriptor) else { throw POSIXError(.EPIPE) }
    }

    /// Sends bytes as fast as the server takes them; `sent` gets the number of bytes of each write.
    package func sendInBackground(_ bytes: [UInt8], counting sent: @escaping @Sendable (Int) -> Void) {
        hasSent.store(true, ordering: .relaxed)
        sending.enter()
        Thread.detachNewThread { [descriptor, sending] in
            LoopbackSocket.write(bytes, to: descriptor, wrote: sent)
            sending.leave()
        }
    }

    /// Everything until the server closes, or until `mark` came.
    package func read(until mark: String? = nil) async -> Reading {
        await onThread { descriptor in
            var reading = Reading()
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            let start = ContinuousClock.now
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count < 0 {
                    reading.isReset = errno == ECONNRESET
                    reading.isTimedOut = errno == EAGAIN
                }
                guard count > 0 else { break }
                reading.times.append((ContinuousClock.now - start) / .seconds(1))
                bytes += buffer[..<count]
                if let mark, String(decoding: bytes, as: UTF8.self).contains(mark) { break }
            }
            reading.text = String(decoding: bytes, as: UTF8.self)
            return reading
        }
    }

    /// The text until the server closes.
    package func readAll() async -> String { await read().text }

    /// The text up to and with a mark, read byte by byte, so that the bytes behind it are still unread.
    package func readThrough(_ mark: String) async -> String {
        await onThread { descriptor in
            var all: [UInt8] = []
            var byte: UInt8 = 0
            while all.suffix(mark.utf8.count) != Array(mark.utf8)[...], recv(descriptor, &byte, 1, 0) == 1 {
                all.append(byte)
            }
            return String(decoding: all, as: UTF8.self)
        }
    }

    /// Exactly so many bytes; fewer when the server closed, or sent nothing for 20 seconds.
    package func read(count: Int) async -> [UInt8] {
        await onThread { descriptor in
            var all: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: max(1, count))
            while all.count < count {
                let came = recv(descriptor, &buffer, count - all.count, 0)
                guard came > 0 else { break }
                all += buffer[..<came]
            }
            return all
        }
    }

    /// Closes the connection, after what is sent in the background has ended: the next socket may get the same number.
    package func close() {
        if hasSent.load(ordering: .relaxed) {
            _ = shutdown(descriptor, Int32(SHUT_RDWR))
            sending.wait()
        }
        #if canImport(Darwin)
        Darwin.close(descriptor)
        #else
        Glibc.close(descriptor)
        #endif
    }

    /// Sends one request that closes its connection and returns the whole response.
    package static func ask(
        port: Int, _ method: String, _ path: String, _ body: String = "", headers: [String] = []
    ) async throws -> Reading {
        let client = try RawClient(port: port)
        try client.send(request(method, path, body, headers: headers + ["Connection: close"]))
        let reading = await client.read()
        client.close()
        return reading
    }

    /// The bytes of a request with a Content-Length and, unless `headers` has one, a Host.
    package static func request(
        _ method: String, _ path: String, _ body: String = "", headers: [String] = []
    ) -> String {
        let host = headers.contains { $0.lowercased().hasPrefix("host:") } ? [] : ["Host: localhost"]
        let lines = ["\(method) \(path) HTTP/1.1"] + host + headers + ["Content-Length: \(body.utf8.count)"]
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    private func onThread<Value: Sendable>(_ read: @escaping @Sendable (Int32) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [descriptor] in continuation.resume(returning: read(descriptor)) }
        }
    }
}

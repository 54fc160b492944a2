import Foundation
import TestSupport

/// A server for one request at a time, which keeps the bytes of the body.
final class Receiver: Sendable {
    struct Request: Sendable {
        var line = ""
        var headers: [String: String] = [:]
        var body: [UInt8] = []
    }

    struct Missing: Error {}

    private let server: RawServer
    private let taken = Locked(0)

    init() throws { server = try RawServer() }

    var port: Int { server.port }
    var address: String { "http://127.0.0.1:\(server.port)" }

    /// Waits for a whole request after those before, and sends an answer.
    func answer(_ text: String) async throws -> Request {
        let read = Locked<(Request, Int)?>(nil)
        try await waitUntil {
            let found = Self.parse(Array(server.received.dropFirst(taken.value)))
            read.change { $0 = found }
            return found != nil
        }
        guard let (request, length) = read.value else { throw Missing() }
        taken.change { $0 += length }
        server.send(text)
        return request
    }

    /// Bytes that came so far.
    var received: Int { server.received.count }
    /// Sends bytes to the client.
    func send(_ text: String) { server.send(text) }
    func stop() { server.stop() }

    /// An answer without a body.
    static func head(_ status: Int, _ headers: String = "") -> String {
        "HTTP/1.1 \(status) X\r\n\(headers)Content-Length: 0\r\n\r\n"
    }

    private static func parse(_ bytes: [UInt8]) -> (Request, Int)? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        var request = Request()
        request.line = lines[0]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            request.headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        let length = request.headers["content-length"].flatMap(Int.init) ?? 0
        guard bytes.count >= end.upperBound + length else { return nil }
        request.body = Array(bytes[end.upperBound..<end.upperBound + length])
        return (request, end.upperBound + length)
    }
}

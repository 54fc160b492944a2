import FakeAPNs
import Foundation
import NIOCore
import Push
import Schedules
import TestSupport

@testable import Transport

/// A synthetic APNs with a transport of HTTP/2 to it.
struct HTTP2Stand {
    let server: FakeAPNs
    let transport: UpstreamTransport
    private let folder: TemporaryFolder
    private let authorization: String

    init(
        _ options: FakeAPNs.Options = FakeAPNs.Options(), _ change: (inout UpstreamConfiguration) -> Void = { _ in }
    ) async throws {
        folder = try TemporaryFolder()
        server = try await FakeAPNs.start(options, folder: folder.path("tls"))
        var configuration = UpstreamConfiguration(baseURL: server.baseURL, peer: "APNs")
        configuration.version = .http2
        configuration.authorities = server.authorities
        configuration.firstByteTimeout = .seconds(8)
        change(&configuration)
        transport = try UpstreamTransport(configuration: configuration)
        let signer = try APNsSigner(keyID: options.keyID, teamID: options.teamID, key: server.key)
        authorization = "bearer " + (try signer.sign(at: Instant(seconds: Int64(Date().timeIntervalSince1970))))
    }

    func request(_ number: Int, authorization: String? = nil) -> UpstreamRequest {
        let digits = String(number, radix: 16)
        var request = UpstreamRequest(
            method: "POST", path: "/3/device/" + String(repeating: "0", count: 64 - digits.count) + digits,
            headers: [
                ("authorization", authorization ?? self.authorization), ("apns-push-type", "alert"),
                ("apns-topic", "com.example.app"), ("apns-id", Self.id(number)),
            ], body: ByteBuffer(string: #"{"aps":{"alert":"x"}}"#))
        request.isForwarded = true
        return request
    }

    static func id(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    /// The status of a request, or the code of its error.
    func send(_ number: Int, authorization: String? = nil) async -> String {
        do {
            let response = try await transport.send(request(number, authorization: authorization))
            let body = try await response.body.collect(upTo: 4096)
            return body.readableBytes == 0 ? "\(response.status)" : "\(response.status) \(String(buffer: body))"
        } catch {
            return error.code.rawValue
        }
    }

    /// The results of many requests at once, counted.
    func sendAll(_ numbers: Range<Int>) async -> [String: Int] {
        await withTaskGroup(of: String.self) { group in
            for number in numbers { group.addTask { await send(number) } }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }

    func stop() async throws {
        await transport.shutdown(within: .seconds(1))
        try await server.stop()
    }
}

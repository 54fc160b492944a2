import Foundation
import GatewayAPI
import GatewayTestSupport
import NIOCore
import TestSupport
import Testing
import Transport

@testable import Gateway

/// Pictures of notifications over HTTP.
@Suite struct PushPictures {
    /// A PNG's header of 2 by 1 pixels; the gateway decodes nothing.
    private static let png =
        [
            0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 2, 0, 0, 0, 1, 8, 2,
            0, 0, 0,
        ]
        as [UInt8]

    @Test func `a picture in a message is served at an address that streams get`() async throws {
        try await LiveGateway.with { gateway in
            let device = try await gateway.post("/api/v1/devices", #"{"name":"tab","stream":true}"#)
            let id = try #require(device.object["id"] as? String)
            let data = Data(Self.png).base64EncodedString()
            for (path, body) in [
                ("/api/v1/messages", #"{"message":{"title":"a","image_data":"\#(data)"}}"#),
                ("/api/v1/notifications", #"{"title":"a","imageData":"\#(data)"}"#),
            ] {
                let reply = try await gateway.post(path, body)
                #expect(reply.status == 202, "\(reply.text)")
                let sent = try JSONDecoder().decode(PushNotification.self, from: reply.data)
                try await waitUntil {
                    try await gateway.request("GET", "/api/v1/messages/\(sent.id)").object["status"] as? String
                        == "sent"
                }
            }
            var text = ""
            let stream = try await gateway.open("GET", "/api/v1/stream?device=\(id)&since=0")
            for try await chunk in stream.body {
                text += String(decoding: chunk.readableBytesView, as: UTF8.self)
                if text.components(separatedBy: "event: notification").count > 2, text.hasSuffix("\n\n") { break }
            }
            stream.body.cancel()
            let paths = text.replacing("\\/", with: "/").matches(of: /\/api\/v1\/pictures\/[0-9a-f]{48}\.png/)
            #expect(Set(paths.map(\.output)).count == 2)
            for path in paths.map(\.output) {
                let picture = try await gateway.request("GET", String(path))
                #expect(picture.status == 200 && picture.data == Data(Self.png))
                #expect(picture.head["Content-Type"] == "image/png")
                #expect(picture.head["Content-Security-Policy"]?.contains("sandbox") == true)
            }
            for wrong in [
                "none.png", String(repeating: "0", count: 48) + ".png", String(repeating: "0", count: 48), "..%2fn.png",
            ] {
                #expect(try await gateway.request("GET", "/api/v1/pictures/\(wrong)").status == 404, "\(wrong)")
            }
            let wrong = try await gateway.post("/api/v1/notifications", #"{"title":"a","imageData":"AAAA"}"#)
            #expect(wrong.status == 400 && wrong.text.contains("imageData"), "\(wrong.text)")
        }
    }
}

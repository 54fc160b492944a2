import Foundation
import GatewayAPI
import Logging
import Push
import PushChannels
import PushRoom
import Storage
import TestSupport
import Testing

@testable import Notifications

/// Pictures of messages: fetched once, kept, and left out when they cannot be had in time.
@Suite struct PictureFetchers {
    /// A GIF of 16 by 32 pixels, whose bytes are all ASCII.
    static let gif = "GIF89a\u{10}\u{0}\u{20}\u{0}\u{0}\u{0}\u{0};"

    private static let open = ["SELENE_PUSH_PRIVATE_URLS": "true"]

    private static func explanation(_ stand: PushStand, _ stored: PushSubmission) async throws -> String {
        let explained = try await Explainer(stand.service).explain(stored.deliveries[0].delivery.uuid)
        return (explained.steps + [explained.delivery.reason ?? ""]).joined(separator: "\n")
    }

    private static func files(_ stand: PushStand) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: stand.database.path + "-pictures")) ?? []).sorted()
    }

    @Test func `a picture is fetched once for all devices, which get it from the gateway`() async throws {
        let server = try ScriptedServer { _ in .reply(200, Self.gif) }
        defer { server.stop() }
        try await PushStand.with(RecordingChannel(), Self.open) { stand in
            for name in ["one", "two", "three"] { try await stand.device(name) }
            try await stand.running([OutboxWorker(stand.service)]) {
                let stored = try await stand.service.sending.submit(
                    stand.order("tide") { $0.image = server.address + "/a.gif?size=1" })
                try await waitUntil { try await stand.states(stored.message.uuid) == [.sent, .sent, .sent] }
                #expect(server.requests.count == 1 && server.requests[0].hasPrefix("GET /a.gif?size=1 "))
                let images = Set(stand.channel.attempts.map(\.message.image))
                let file = try #require(Self.files(stand).first)
                #expect(images == ["http://127.0.0.1:5678/api/v1/pictures/\(file)"] && file.hasSuffix(".gif"))
                let path = stand.database.path + "-pictures/" + file
                #expect(try Data(contentsOf: URL(filePath: path)) == Data(Self.gif.utf8))
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(mode == 0o600)
                #expect(try await Self.explanation(stand, stored).contains("picture: kept: "))
                // Another message with the same URL has an address of its own.
                let again = try await stand.service.sending.submit(
                    stand.order("tide") { $0.image = server.address + "/a.gif?size=1" })
                try await waitUntil { try await stand.states(again.message.uuid) == [.sent, .sent, .sent] }
                #expect(Self.files(stand).count == 2)
            }
        }
    }

    @Test(
        .slow,
        arguments: [
            ("status 404", ScriptedServer.Answer.reply(404, "")), ("none of PNG", .reply(200, "<svg/>")),
            ("cannot be reached", .drop),
            ("too many pixels", .reply(200, "GIF89a\u{7F}\u{7F}\u{7F}\u{7F}\u{0}\u{0}\u{0}")),
            ("larger than", .raw("HTTP/1.1 200 OK\r\n\r\n" + gif + String(repeating: "x", count: 5 << 20))),
            ("redirects", .reply(302, "", headers: ["Location": "/again"])),
            ("the URL is not valid", .reply(302, "", headers: ["Location": "file:///etc/passwd"])),
        ])
    func `a message without its picture is sent, and says why`(_ why: String, _ answer: ScriptedServer.Answer)
        async throws
    {
        let server = try ScriptedServer { _ in answer }
        defer { server.stop() }
        try await PushStand.with(RecordingChannel(), Self.open) { stand in
            try await stand.device()
            try await stand.running([OutboxWorker(stand.service)]) {
                let stored = try await stand.service.sending.submit(
                    stand.order("tide") { $0.image = server.address + "/a" })
                try await waitUntil { try await stand.states(stored.message.uuid) == [.sent] }
                #expect(stand.channel.attempts.map(\.message.image) == [nil])
                let text = try await Self.explanation(stand, stored)
                #expect(text.contains("picture: left out: ") && text.contains("without its picture: "))
                #expect(text.contains(why), "\(text)")
                #expect(Self.files(stand) == [])
            }
        }
    }

    @Test func `private addresses are not connected to, whatever leads there`() async throws {
        let server = try ScriptedServer { _ in .reply(200, Self.gif) }
        defer { server.stop() }
        try await PushStand.with { stand in
            try await stand.device()
            // Refused before it is stored; and a name that leads there is refused by the connection.
            await #expect(throws: PushRefusal.self) {
                try await stand.service.sending.submit(stand.order("tide") { $0.image = server.address + "/a" })
            }
            let desk = stand.service.pictures
            try await waitUntil {
                desk.look(server.address + "/a", of: "m")
                    == .left("127.0.0.1 is in a private network or on this machine")
            }
            #expect(server.requests == [])
        }
    }

    @Test func `a picture in the message is kept; one that is gone is left out`() async throws {
        try await PushStand.with { stand in
            try await stand.device()
            try await stand.running([OutboxWorker(stand.service)]) {
                let stored = try await stand.service.sending.submit(
                    stand.order("tide") { $0.imageData = Array(Self.gif.utf8) })
                try await waitUntil { try await stand.states(stored.message.uuid) == [.sent] }
                let file = try #require(Self.files(stand).first)
                #expect(stand.channel.attempts[0].message.image?.hasSuffix("/" + file) == true)
                #expect(stand.channel.attempts[0].message.imageData == nil)
                // The stored message has the name, not the bytes.
                #expect(String(decoding: stored.message.body, as: UTF8.self).contains("picture:\(file.dropLast(4))"))
                let gone = try await stand.service.sending.submit(
                    stand.order("ebb") { $0.image = PictureName.random().image })
                try await waitUntil { try await stand.states(gone.message.uuid) == [.sent] }
                #expect(try await Self.explanation(stand, gone).contains("left out: it is not kept any more"))
            }
        }
    }

    @Test(.slow) func `a server that stalls holds up its message only, and not for long`() async throws {
        let server = try ScriptedServer { _ in .stall("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nGIF") }
        defer { server.stop() }
        try await PushStand.with(RecordingChannel(), Self.open) { stand in
            try await stand.device()
            try await stand.running([OutboxWorker(stand.service)]) {
                let slow = try await stand.service.sending.submit(
                    stand.order("slow") { $0.image = server.address + "/a" })
                let quick = try await stand.service.sending.submit(stand.order("quick"))
                try await waitUntil { try await stand.states(quick.message.uuid) == [.sent] }
                #expect(try await stand.states(slow.message.uuid) != [.sent])
                try await waitUntil { try await stand.states(slow.message.uuid) == [.sent] }
                #expect(stand.channel.attempts.map(\.message.title) == ["quick", "slow"])
                #expect(stand.channel.attempts[1].message.image == nil)
            }
        }
    }

    @Test func `the store has no more than its space, and drops the oldest and the old`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "selene-store-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = PictureStore(folder: folder, maxBytes: 1000)
        let now = Int64(Date.now.timeIntervalSince1970)
        func age(_ name: PictureName, _ seconds: Int64) throws {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: Double(now - seconds))],
                ofItemAtPath: "\(folder)/\(name.text).gif")
        }
        let names = (0..<4).map { _ in PictureName.random() }
        for (place, name) in names.enumerated() {
            try store.keep([UInt8](repeating: 1, count: 300), as: name, .gif)
            try age(name, 400 - Int64(place) * 100)
        }
        #expect(names.map { store.find($0) != nil } == [false, true, true, true])
        // One that is wanted later lives longer.
        let later = PictureName.random()
        try store.keep([1], as: later, .png, from: now + 30 * 86_400)
        store.prune(now: now + Int64(PictureStore.life) + 1000)
        #expect(names.map { store.find($0) != nil } == [false, false, false, false])
        #expect(store.find(later) == .png && store.open(later, .png)?.read(from: 0, 9) == [1])
        #expect(PictureStore.picture("../x.png") == nil && PictureStore.picture("\(later.text).svg") == nil)
    }
}

import Foundation
import Hummingbird
import NIOCore
import Testing

@testable import Access
@testable import Server

/// Large answers in files: what they give back, and how many there may be.
@Suite struct AnswerFiles {
    private let room = BodyBudget(capacity: 64 << 20, of: "answers on disk", share: .halfOfTheRest)
    private let folder = FileManager.default.temporaryDirectory.path

    private func file(_ bytes: ByteBuffer, of holder: String = "a") async throws -> AnswerFile {
        try await AnswerFile(
            ResponseBody(byteBuffer: bytes), bytes: bytes.readableBytes, of: holder, in: room, folder: folder)
    }

    private struct Collector: ResponseBodyWriter {
        let parts: AsyncStream<ByteBuffer>.Continuation

        @concurrent mutating func write(_ buffer: ByteBuffer) async throws { parts.yield(buffer) }

        @concurrent consuming func finish(_ trailingHeaders: HTTPFields?) async throws { parts.finish() }
    }

    @Test(arguments: [1 << 20, (1 << 20) + 1, 5_000_003])
    func `the parts are the body, and no part is longer than 256 KiB`(_ count: Int) async throws {
        let bytes = ByteBuffer(bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        let (stream, continuation) = AsyncStream<ByteBuffer>.makeStream()
        try await file(bytes).body.write(Collector(parts: continuation))
        var all = ByteBuffer()
        for await var part in stream {
            #expect(part.readableBytes <= 256 << 10)
            all.writeBuffer(&part)
        }
        #expect(all == bytes)
        #expect(room.used == 0)
    }

    @Test func `one key has half of the files, the next one half of the rest`() async throws {
        let small = ByteBuffer(repeating: 1, count: 10)
        var files: [AnswerFile] = []
        for _ in 0..<128 { files.append(try await file(small)) }
        await #expect(throws: GatewayError.self) { try await file(small) }
        files.append(try await file(small, of: "b"))
        #expect(room.used == 129 * (256 << 10))
        files = []
        #expect(room.used == 0)
    }

    @Test func `a folder that takes no file costs nothing`() async throws {
        let bytes = ByteBuffer(repeating: 1, count: 2 << 20)
        await #expect(throws: GatewayError.self) {
            _ = try await AnswerFile(
                ResponseBody(byteBuffer: bytes), bytes: 2 << 20, of: "a", in: room, folder: "/nowhere/at/all")
        }
        #expect(room.used == 0)
    }

    @Test func `a request holds one place at a time, until its end`() async throws {
        let making = KeyConcurrencyLimiter(.answers)
        let scans = KeyConcurrencyLimiter(.scans)
        let turn = AnswerTurn()
        turn.keep(try await making.take("a"))
        #expect(making.load.running == 1)
        turn.end()
        turn.keep(try await scans.take("a"))
        turn.keep(try await scans.take("a"))
        #expect(making.load.running == 0 && scans.load.running == 1)
        turn.end()
        #expect(scans.load.running == 0)
    }
}

import NIOCore
import Testing

@testable import Transport

@Suite struct LineFraming {
    /// Feeds a text cut at random places and returns what comes out.
    func frame(_ text: [UInt8], seed: UInt64) throws -> (lines: [UInt8], pieces: [[UInt8]], rest: [UInt8]) {
        var framer = LineFramer(maxLineBytes: 1000)
        var seed = seed
        var lines: [UInt8] = []
        var pieces: [[UInt8]] = []
        var rest = text[...]
        while !rest.isEmpty {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let length = min(rest.count, Int(seed >> 33 % 7) + 1)
            if let out = try framer.push(ByteBuffer(bytes: rest.prefix(length))) {
                pieces.append(Array(out.readableBytesView))
                lines += Array(out.readableBytesView)
            }
            rest = rest.dropFirst(length)
        }
        return (lines, pieces, Array(framer.remainder.readableBytesView))
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `however it is cut, the same bytes come out in whole lines`(seed: UInt64) throws {
        let text = Array("{\"a\":1}\n{\"b\":\"\u{85}\u{2028}\u{2029}é🎻\"}\n\n{\"c\":3}\r\n{\"half".utf8)
        let (lines, pieces, rest) = try frame(text, seed: seed)
        #expect(lines + rest == text)
        #expect(rest == Array("{\"half".utf8))
        for piece in pieces { #expect(piece.last == UInt8(ascii: "\n")) }
    }

    @Test func `a line may be as long as the limit and no longer`() throws {
        var fits = LineFramer(maxLineBytes: 4)
        #expect(try fits.push(ByteBuffer(string: "ab")) == nil)
        #expect(try fits.push(ByteBuffer(string: "cd\nx")).map { String(buffer: $0) } == "abcd\n")
        for chunks in [["abcde"], ["abc", "de\n"], ["abcde\n"], ["a\nbcdef"], ["a\nbcdef\ng\n"]] {
            var framer = LineFramer(maxLineBytes: 4)
            #expect(throws: UpstreamError.self) {
                for chunk in chunks { _ = try framer.push(ByteBuffer(string: chunk)) }
            }
        }
    }
}

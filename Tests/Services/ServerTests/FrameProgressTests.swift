import HTTPTypes
import TestSupport
import Testing

@testable import Server

/// The borders of frames, against a reader of the whole input, in any parts.
@Suite struct FrameBorders {
    /// A frame as it is on the wire.
    private static func frame(_ kind: UInt8, flags: UInt8 = 0, count: Int) -> [UInt8] {
        [UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF), kind, flags, 0, 0, 0, 1]
            + [UInt8](repeating: 7, count: count)
    }

    /// What ``FrameProgress/isWaiting`` must be after each number of bytes, by a walk over all frames.
    private static func oracle(_ frames: [[UInt8]]) -> [Bool] {
        var states = [Bool](repeating: true, count: FrameProgress.prefaceBytes + 1)
        var isOpen = false
        for frame in frames {
            let (kind, endsBlock) = (frame[3], frame[4] & 4 != 0)
            for position in 1...frame.count {
                if position < 9 {
                    states.append(true)
                } else {
                    if position == 9, kind == 1 || kind == 9 { isOpen = !endsBlock }
                    states.append(isOpen || (position < frame.count && kind != 0))
                    // The first frame must arrive whole, whatever it is.
                    if frame == frames[0], position < frame.count, states.count <= 25 + frame.count {
                        states[states.count - 1] = true
                    }
                }
            }
        }
        return states
    }

    @Test func `it waits for the same bytes in any parts`() {
        var random = SeededGenerator(7)
        for _ in 0..<300 {
            var frames = [Self.frame(4, count: 6 * Int.random(in: 0...3, using: &random))]
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                let kind = [0, 0, 1, 3, 6, 8, 9, 200].randomElement(using: &random) ?? 0
                frames.append(
                    Self.frame(
                        UInt8(kind), flags: Bool.random(using: &random) ? 4 : 1,
                        count: Int.random(in: 0...40, using: &random)))
            }
            let bytes = [UInt8](repeating: 1, count: FrameProgress.prefaceBytes) + frames.flatMap { $0 }
            let states = Self.oracle(frames)
            var (progress, position) = (FrameProgress(), 0)
            while position < bytes.count {
                let end = min(bytes.count, position + Int.random(in: 1...20, using: &random))
                progress.take(bytes[position..<end])
                position = end
                #expect(progress.isWaiting == states[position])
            }
        }
    }

    @Test func `what is completed counts`() {
        var progress = FrameProgress()
        progress.take([UInt8](repeating: 0, count: 24))
        let preface = progress.completed
        progress.take(Self.frame(4, count: 0))
        #expect(progress.completed == preface + 1)
        // A block in three parts is one thing.
        progress.take(Self.frame(1, count: 5))
        progress.take(Self.frame(9, count: 5))
        #expect(progress.completed == preface + 1 && progress.isWaiting)
        progress.take(Self.frame(9, flags: 4, count: 5))
        #expect(progress.completed == preface + 2 && !progress.isWaiting)
    }

    @Test func `a head takes the form of HTTP 1`() throws {
        var head = HTTPRequest(method: .get, scheme: "https", authority: nil, path: "/a?b")
        head.headerFields.append(HTTPField(name: try #require(HTTPField.Name("host")), value: "Box:1"))
        for cookie in ["a=1", "b=2"] { head.headerFields.append(HTTPField(name: .cookie, value: cookie)) }
        let checked = try StreamRequest.checked(head)
        #expect(checked.authority == "Box:1")
        #expect(checked.headerFields.map(\.name) == [.cookie])
        #expect(checked.headerFields[values: .cookie] == ["a=1; b=2"])
        head.authority = "box:1"
        #expect(try StreamRequest.checked(head).authority == "box:1")
        head.authority = "other"
        #expect(throws: GatewayError.self) { try StreamRequest.checked(head) }
    }
}

import Testing

@testable import Server

/// How slowly clients may read, and how many frames they may send that carry nothing, without a server or a clock.
@Suite struct ReaderRules {
    private let start = ContinuousClock.now

    private func pace() -> ReaderPace {
        ReaderPace(timeout: .seconds(75), grace: .seconds(30), rate: 1000, at: start)
    }

    @Test func `a reader has its grace and a second for each share that it takes`() {
        var pace = pace()
        pace.hold(at: start)
        #expect(!pace.isTooSlow(at: start + .seconds(29)))
        #expect(pace.isTooSlow(at: start + .seconds(30)))
        pace.take(10_000, at: start + .seconds(29))
        #expect(!pace.isTooSlow(at: start + .seconds(39)))
        #expect(pace.isTooSlow(at: start + .seconds(40)))
    }

    @Test func `a byte now and then does not keep an answer waiting`() {
        var pace = pace()
        pace.hold(at: start)
        var seconds = 0
        while !pace.isTooSlow(at: start + .seconds(seconds)), seconds < 1000 {
            seconds += 5
            pace.take(1, at: start + .seconds(seconds))
        }
        #expect(seconds <= 35)
    }

    @Test func `what buffers on the way take is progress, but earns no time`() {
        var pace = pace()
        pace.hold(at: start)
        pace.take(4_000_000, counts: false, at: start + .seconds(1))
        #expect(!pace.isTooSlow(at: start + .seconds(29)))
        #expect(pace.isTooSlow(at: start + .seconds(30)))
    }

    @Test func `time in which nothing waits does not count`() {
        var pace = pace()
        #expect(!pace.isTooSlow(at: start + .seconds(1000)))
        pace.hold(at: start + .seconds(1000))
        pace.release(at: start + .seconds(1020))
        #expect(!pace.isTooSlow(at: start + .seconds(5000)))
        pace.hold(at: start + .seconds(5000))
        #expect(!pace.isTooSlow(at: start + .seconds(5009)))
        #expect(pace.isTooSlow(at: start + .seconds(5010)))
    }

    @Test func `who took much may stop for the timeout at most`() {
        var pace = pace()
        pace.hold(at: start)
        pace.take(10_000_000, at: start + .seconds(1))
        #expect(!pace.isTooSlow(at: start + .seconds(75)))
        #expect(pace.isTooSlow(at: start + .seconds(76)))
    }

    @Test func `frames that carry nothing are limited, those that answers allow are free`() {
        var frames = IdleFrames(limit: 200, window: .seconds(30), at: start)
        var may: [Bool] = []
        may.append(frames.receive(200, requests: 0, at: start))
        may.append(frames.receive(1, requests: 0, at: start))
        may.append(frames.receive(200, requests: 0, at: start + .seconds(30)))
        // An answer of 1 MB in frames of 16 KB allows an update for each 256 bytes, and four for each frame.
        for _ in 0..<64 { frames.wrote(16_384) }
        may.append(frames.receive(4096, requests: 0, at: start + .seconds(31)))
        may.append(frames.receive(40, requests: 10, at: start + .seconds(31)))
        may.append(frames.receive(256, requests: 0, at: start + .seconds(31)))
        may.append(frames.receive(1, requests: 0, at: start + .seconds(31)))
        #expect(may == [true, false, true, true, true, true, false])
    }

    @Test(arguments: [
        ("//api/chat", "/api/chat"), ("/api/chat/", "/api/chat"), ("/v1//chat/completions/", "/v1/chat/completions"),
        ("///", "/"), ("//", "/"), ("/a/?b=//", "/a?b=//"), ("/api//tags?x=1/", "/api/tags?x=1/"),
    ])
    func `doubled slashes and one at the end are left out`(_ target: String, _ plain: String) {
        #expect(PathNormalization.plain(target) == plain)
    }

    @Test(arguments: ["/", "/api/chat", "/a?b=//", "*", "", "a//b", "/a%2F%2Fb", "http://x//y"])
    func `other targets stay as they are`(_ target: String) { #expect(PathNormalization.plain(target) == nil) }
}

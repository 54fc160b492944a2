import GatewayAPI
import TestSupport
import Testing

@testable import ChatRun

/// Readers whose connections are cut at random, against the text and the events that were appended.
struct ReaderCutTests {
    /// A client: what it has, and where its connection stands.
    private struct Reader {
        var utf8: [UInt8] = []
        var events: [RunSnapshot.Placed] = []
        var lastID: String?
        var connection: RunPosition?
        var isComplete = false

        /// Takes frames in order; the connection is cut before the one that is lost.
        mutating func take(_ read: RunRead, losingFrom lost: Int) {
            for frame in read.frames.prefix(lost) {
                switch frame {
                case .event(let event, let end): keep(.init(offset: end.offset, event: event))
                case .delta(let text, let offset, _):
                    #expect(offset <= utf8.count)
                    utf8 = Array(utf8.prefix(offset)) + Array(text.utf8)
                case .snapshot(let snapshot):
                    utf8 = Array(snapshot.text.utf8)
                    events = []
                    snapshot.events.forEach { keep($0) }
                }
                lastID = frame.end.text
            }
            connection = lost < read.frames.count ? nil : read.next
            isComplete = connection != nil && read.isComplete
        }

        private mutating func keep(_ placed: RunSnapshot.Placed) {
            if placed.event.kind != .state { events.append(placed) }
        }

        /// Forgets what is behind a byte, as a client that kept only a part.
        mutating func rewind(to offset: Int) {
            connection = nil
            utf8 = Array(utf8.prefix(offset))
            events.removeAll { $0.offset >= offset }
            lastID = "\(offset)"
        }
    }

    /// A run with its log, what was stored of it, and what it should have.
    private struct Run {
        var log = RunLog()
        var machine = RunStateMachine(place: 1, at: .zero)
        var now = Duration.zero
        var life = 0
        var text: [UInt8] = []
        var events: [RunSnapshot.Placed] = []
        var stored = RunLog().snapshot

        mutating func handle(_ input: RunInput, text piece: String = "") {
            for action in machine.handle(input, at: now) {
                switch action {
                case .announce(let phase): log.append(RunEvent(.state, .string(phase.word)))
                case .appendText:
                    log.append(piece)
                    text += Array(piece.utf8)
                case .store: stored = log.snapshot
                case .finish(let outcome, _): append(RunEvent(.done, .string(outcome.word)))
                case .runTools: append(RunEvent(.tool, .string("call")))
                case .enqueue, .search, .askModel, .cancelWork, .release: break
                }
            }
        }

        mutating func append(_ event: RunEvent) {
            if log.append(event) { events.append(.init(offset: text.count, event: event)) }
        }

        /// The gateway is killed and continues the run from what was stored.
        mutating func kill() {
            life += 1
            text = Array(stored.text.utf8)
            events = stored.events.filter { $0.event.kind != .state }
            log = RunLog(text: stored.text, events: stored.events, life: life)
            machine = RunStateMachine(interruptedWithText: !text.isEmpty)
            handle(.continueRun)
            handle(.admitted(searches: false))
        }
    }

    private static let pieces = ["a", "word ", "é", "😀", "漢字", "\n", "e\u{301}", String(repeating: "long ", count: 30)]

    private func step(_ run: inout Run, _ random: inout SeededGenerator) {
        run.now += .milliseconds(Int.random(in: 0...400, using: &random))
        switch Int.random(in: 0..<40, using: &random) {
        case 0: run.handle(.calledTools)
        case 1...3: run.handle(.toolsFinished)
        case 4: run.append(RunEvent(.citation, .integer(Int64.random(in: 0...99, using: &random))))
        case 5...7: run.handle(.stored)
        case 8: run.handle(.tick)
        case 9 where Int.random(in: 0..<10, using: &random) == 0: run.handle(.stop)
        case 10 where Int.random(in: 0..<10, using: &random) == 0 && run.machine.outcome == nil: run.kill()
        default: run.handle(.wrote, text: Self.pieces.randomElement(using: &random) ?? "")
        }
    }

    /// Reads once, connecting first when the connection is gone; counts cuts.
    private func read(_ reader: inout Reader, of run: Run, cuts: inout Int, _ random: inout SeededGenerator) {
        let room = Int.random(in: 1...400, using: &random)
        let isBack = reader.connection == nil
        let before = reader.utf8.count
        let read =
            reader.connection.map { run.log.read(after: $0, maxBytes: room) }
            ?? run.log.attach(lastEventID: reader.lastID, maxBytes: room)
        // Without a cut text goes on exactly where it stopped, and after one at most a scalar earlier.
        if case .delta(_, let from, _)? = read.frames.first {
            #expect(isBack ? (before - 3...before).contains(from) : from == before)
        }
        let isCut = !read.frames.isEmpty && Int.random(in: 0..<3, using: &random) == 0
        reader.take(read, losingFrom: isCut ? Int.random(in: 0..<read.frames.count, using: &random) : .max)
        cuts += isCut ? 1 : 0
    }

    @Test func `ten thousand cuts, kills and stops lose and double no byte`() {
        var random = SeededGenerator(2026)
        var (cuts, rewinds, snapshots, kills) = (0, 0, 0, 0)
        while cuts < 10_000 {
            var run = Run()
            run.handle(.admitted(searches: true))
            run.append(RunEvent(.passages, .array([.string("p")])))
            run.handle(.searched)
            var readers = [Reader(), Reader()]
            let length = Int.random(in: 1...300, using: &random)
            for _ in 0..<length {
                step(&run, &random)
                for index in readers.indices where Bool.random(using: &random) {
                    if run.life == 0, Int.random(in: 0..<20, using: &random) == 0 {
                        readers[index].rewind(to: Int.random(in: 0...readers[index].utf8.count, using: &random))
                        rewinds += 1
                    } else if Int.random(in: 0..<60, using: &random) == 0 {
                        readers[index].connection = nil
                        readers[index].lastID = ["junk", "\(1 << 40)", "7@99"].randomElement(using: &random)
                        snapshots += 1
                    }
                    read(&readers[index], of: run, cuts: &cuts, &random)
                }
            }
            run.handle(.modelFinished)
            run.handle(.stop)
            for _ in 0..<3 { run.handle(.stored) }
            #expect(run.log.hasEnded)
            #expect(run.log.utf8 == run.text)
            for var reader in readers {
                var reads = 0
                while !reader.isComplete, reads < 10_000 {
                    read(&reader, of: run, cuts: &cuts, &random)
                    reads += 1
                }
                #expect(reader.utf8 == run.text)
                #expect(reader.events == run.events)
            }
            kills += run.life
        }
        #expect(rewinds > 100 && snapshots > 100 && kills > 10)
    }
}

import ChatRun
import Foundation
import GatewayAPI
import TestSupport
import Testing

@testable import GatewayClient

@Suite struct ChatAnswers {
    private func passage(_ number: Int, _ text: String = "full moon") -> ChatPassage {
        ChatPassage(
            number: number, note: Int64(number), title: "t", date: "2026-03-14", text: text, range: 0..<9,
            source: "search")
    }

    private func sentence(_ range: Range<Int>, _ verdict: ChatVerdict = .supported) -> ChatSentence {
        ChatSentence(range: range, verdict: verdict, support: nil, score: 1, differences: [])
    }

    @Test func `deltas are placed by their byte`() {
        var answer = ChatAnswer()
        #expect(answer.apply(.init(id: "5", .delta(.init(at: 0, text: "Tide 潮")))) == true)
        #expect(answer.apply(.init(id: "9", .delta(.init(at: 8, text: "!")))) == true)
        #expect(answer.text == "Tide 潮!" && answer.lastEventID == "9")
        // Behind the end, before the beginning and within a character: nothing changes.
        for at in [10, -1, 6, .max, .min] {
            #expect(answer.apply(.init(id: "20", .delta(.init(at: at, text: "x")))) == false)
        }
        #expect(answer.text == "Tide 潮!" && answer.lastEventID == "9")
        #expect(answer.apply(.init(id: "7", .delta(.init(at: 5, text: "é")))) == true)
        #expect(answer.text == "Tide é")
    }

    @Test func `later passages, tools and verdicts replace earlier ones`() {
        var answer = ChatAnswer()
        answer.apply(.init(.passages([passage(1), passage(2)])))
        answer.apply(.init(.passages([passage(2, "new"), passage(3)])))
        #expect(answer.record.passages == [passage(1), passage(2, "new"), passage(3)])
        for state in [ChatToolUse.State.running, .done] {
            answer.apply(.init(.tool(ChatToolUse(id: "a", name: "search_notes", arguments: nil, state: state))))
        }
        #expect(answer.record.tools.map(\.state) == [.done])
        let first = ChatCitation(marker: 4..<7, number: 1, note: 1, verdict: .unsupported)
        let second = ChatCitation(marker: 1..<4, number: 2, note: 2, verdict: .altered)
        var changed = first
        changed.verdict = .supported
        answer.apply(.init(.citation(.init(citations: [first], sentences: [sentence(8..<12), sentence(0..<7)]))))
        answer.apply(.init(.citation(.init(citations: [second, changed], sentences: [sentence(8..<20, .altered)]))))
        #expect(answer.record.citations == [second, changed])
        #expect(answer.record.sentences == [sentence(0..<7), sentence(8..<20, .altered)])
        #expect(answer.state == .queued && answer.end == nil)
        answer.apply(.init(.done(.init(state: .stopped, isStored: true, stopReason: "asked"))))
        #expect(answer.state == .stopped && answer.end?.stopReason == "asked")
        // A continued run begins with a snapshot, which replaces all.
        answer.apply(.init(id: "2@1", .snapshot(.init(text: "é", events: [.init(at: 0, event: .init(.passages([])))]))))
        var expected = ChatAnswer()
        expected.apply(.init(id: "2@1", .delta(.init(at: 0, text: "é"))))
        #expect(answer == expected)
    }

    @Test func `a whole run is an answer, too`() {
        var run = ChatRun(id: "r", session: "s", question: "q", kind: "ask", model: "m", createdAt: "")
        run.text = "x"
        run.state = .answering
        #expect(ChatAnswer(run).text == "x" && ChatAnswer(run).end == nil && ChatAnswer(run).state == .answering)
        run.state = .failed
        run.error = "no"
        #expect(ChatAnswer(run).end?.error == "no" && ChatAnswer(run).state == .failed)
    }

    @Test func `unknown kinds are skipped, broken text is an error, and events survive their own JSON`() throws {
        func decoded(_ name: String, _ json: String) throws -> ChatRunEvent? {
            try ChatRunEvent(id: "1", name: name, json: Array(json.utf8))
        }
        #expect(try decoded("hologram", "{}") == nil)
        #expect(try decoded("state", #"{"state":"dreaming","progress":1}"#) == nil)
        #expect(try decoded("citation", "nonsense") == nil)
        #expect(try decoded("delta", #"{"at":1,"text":"x","more":{}}"#)?.content == .delta(.init(at: 1, text: "x")))
        for (name, json) in [("delta", "{}"), ("snapshot", "[]"), ("done", "{"), ("failed", "null")] {
            #expect(throws: (any Error).self) { try decoded(name, json) }
        }
        let snapshot = try decoded(
            "snapshot",
            #"""
            {"text":"é","events":[{"at":0,"data":{"state":"tools","progress":0.5,"round":2},"event":"state"},
            {"at":0,"data":{},"event":"hologram"},{"event":"usage"},
            {"at":2,"data":{"is_stored":true,"state":"done"},"event":"done"}]}
            """#)
        let expected: [ChatRunEvent.Snapshot.Placed] = [
            .init(at: 0, event: .init(.state(.init(state: .tools, progress: 0.5, round: 2)))),
            .init(at: 2, event: .init(.done(.init(state: .done, isStored: true)))),
        ]
        #expect(snapshot?.content == .snapshot(.init(text: "é", events: expected)))
        let again = try JSONDecoder().decode(ChatRunEvent.self, from: JSONEncoder().encode(snapshot))
        #expect(again == snapshot)
    }

    /// A log as the gateway has it, that grows at random.
    private struct Writer {
        private static let pieces = ["The tide ", "潮", "é", "👩\u{200D}🔬", "\n", "e", "\u{301}", "[1]. "]
        var log: RunLog
        var count = 0

        private static func json(_ value: some Encodable) throws -> [UInt8] { Array(try JSONEncoder().encode(value)) }

        mutating func step(_ generator: inout SeededGenerator) throws {
            count += 1
            switch Int.random(in: 0..<12, using: &generator) {
            case 0:
                let progress = ChatRunEvent.Progress(state: .tools, progress: 0.5, round: count)
                log.append(RunEvent(.state, json: try Self.json(progress)))
            case 1:
                let use = ChatToolUse(id: "\(count % 3)", name: "n\(count)", arguments: .null, state: .done)
                log.append(RunEvent(.tool, json: try Self.json(use)))
            case 2:
                let place = Int.random(in: 0...max(1, log.utf8.count), using: &generator)
                let verdicts = ChatRunEvent.Verdicts(
                    citations: [.init(marker: place..<(place + 3), number: 1, note: 1, verdict: .altered)],
                    sentences: [
                        .init(range: place..<(place + 9), verdict: .altered, support: nil, score: 0.5, differences: [])
                    ])
                log.append(RunEvent(.citation, json: try Self.json(verdicts)))
            case 3:
                let usage = ChatTokens(promptTokens: count, completionTokens: count)
                log.append(RunEvent(.usage, json: try Self.json(usage)))
            default: log.append(Self.pieces.randomElement(using: &generator) ?? "")
            }
        }

        /// The end of the gateway: of the text a part is stored.
        mutating func restart(_ generator: inout SeededGenerator) {
            let scalars = log.text.unicodeScalars
            let kept = String(scalars.prefix(Int.random(in: 0...scalars.count, using: &generator)))
            log = RunLog(text: kept, life: log.end.life + 1)
        }
    }

    @Test(arguments: 0..<120)
    func `connections may end at any byte: the answer has every byte once`(seed: Int) throws {
        var generator = SeededGenerator(UInt64(seed))
        var limits = RunLog.Limits()
        let dropsEvents = seed % 3 == 0
        if dropsEvents { limits.events = 4 }
        var writer = Writer(log: RunLog(limits: limits))
        var (answer, buffer) = (ChatAnswer(), EventBuffer(maxBytes: 1 << 20))
        var (wire, position) = ([UInt8](), RunPosition?.none)
        func pull() {
            let read =
                position.map { writer.log.read(after: $0, maxBytes: 20) }
                ?? writer.log.attach(lastEventID: answer.lastEventID, maxBytes: 20)
            position = read.next
            wire += read.frames.flatMap(\.serverSentEvent)
        }
        func deliver(_ count: Int) throws {
            try buffer.append(Data(wire.prefix(count)))
            wire.removeFirst(min(count, wire.count))
            while let received = buffer.next() {
                let event = try ChatRunEvent(id: received.id, name: received.name, json: received.data)
                let isApplied = answer.apply(try #require(event))
                #expect(isApplied)
            }
        }
        func cut() { (wire, position, buffer) = ([], nil, EventBuffer(maxBytes: 1 << 20)) }
        for _ in 0..<150 {
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<9: try writer.step(&generator)
            case 9..<14: pull()
            case 14..<18: try deliver(Int.random(in: 0...120, using: &generator))
            case 18: cut()
            default:
                guard Int.random(in: 0..<6, using: &generator) == 0 else { continue }
                writer.restart(&generator)
                cut()
            }
        }
        writer.log.append(RunEvent(.done, json: Array(#"{"state":"done","is_stored":true,"message":5}"#.utf8)))
        while answer.end == nil {
            pull()
            try deliver(Int.random(in: 1...300, using: &generator))
        }
        #expect(Array(answer.text.utf8) == writer.log.utf8)
        #expect(answer.state == .done && answer.end?.message == 5)
        // Another reader, who begins at the end, has the same.
        var late = ChatAnswer()
        var lateBuffer = EventBuffer(maxBytes: 1 << 20)
        for frame in writer.log.attach(lastEventID: nil, maxBytes: .max).frames {
            try lateBuffer.append(Data(frame.serverSentEvent))
            while let received = lateBuffer.next() {
                late.apply(try #require(try ChatRunEvent(id: received.id, name: received.name, json: received.data)))
            }
        }
        #expect(late.text == answer.text && late.end == answer.end && late.lastEventID == answer.lastEventID)
        // Dropped events are known to those who were there.
        if !dropsEvents { #expect(late == answer) }
    }
}

import GatewayAPI
import Testing

@testable import ChatRun

struct RunLogTests {
    private func event(_ kind: RunEvent.Kind, _ number: Int64 = 1) -> RunEvent { RunEvent(kind, .integer(number)) }

    /// Frames in a line each: the id, the kind, the text or the JSON.
    private func lines(_ read: RunRead) -> [String] {
        read.frames.map { frame in
            switch frame {
            case .event(let event, let end):
                "\(end.text) \(event.kind) \(String(decoding: event.json, as: UTF8.self))"
            case .delta(let text, let offset, let end): "\(end.text) delta \(offset) \(text)"
            case .snapshot(let snapshot):
                "\(snapshot.end.text) snapshot \(snapshot.text) \(snapshot.events.map(\.event.kind.rawValue))"
            }
        }
    }

    private func log() -> RunLog {
        var log = RunLog()
        log.append(event(.state, 1))
        log.append(event(.passages))
        log.append(event(.state, 2))
        log.append("One ")
        log.append("two")
        log.append(event(.citation))
        log.append(" thrée")
        return log
    }

    @Test func `a new reader gets the latest state, the events and the text merged between them`() {
        #expect(
            lines(log().attach(lastEventID: nil)) == [
                "0.2 passages 1", "0.3 state 2", "7 delta 0 One two", "7.1 citation 1", "14 delta 7  thrée",
            ])
    }

    /// The last event id of a reader, and what it gets.
    @Test(arguments: [
        ("0", ["0.2 passages 1", "0.3 state 2", "7 delta 0 One two", "7.1 citation 1", "14 delta 7  thrée"]),
        ("0.2", ["0.3 state 2", "7 delta 0 One two", "7.1 citation 1", "14 delta 7  thrée"]),
        ("0.3", ["7 delta 0 One two", "7.1 citation 1", "14 delta 7  thrée"]),
        ("4", ["7 delta 4 two", "7.1 citation 1", "14 delta 7  thrée"]),
        ("7", ["7.1 citation 1", "14 delta 7  thrée"]), ("7.1", ["14 delta 7  thrée"]),
        // Within é: back to its first byte.
        ("12", ["14 delta 11 ée"]), ("14", []),
        ("14.1", ["14 snapshot One two thrée [\"passages\", \"state\", \"citation\"]"]),
        ("15", ["14 snapshot One two thrée [\"passages\", \"state\", \"citation\"]"]),
        ("4@1", ["14 snapshot One two thrée [\"passages\", \"state\", \"citation\"]"]),
        ("abc", ["14 snapshot One two thrée [\"passages\", \"state\", \"citation\"]"]),
    ])
    func `a reader that comes back gets what it lacks`(id: String, wanted: [String]) {
        #expect(lines(log().attach(lastEventID: id)) == wanted)
    }

    @Test(arguments: [
        "", "-1", "1.", ".1", "1.2.3", "1@", "@", "1@2@3", "+1", "1e3", "99999999999999999999", " 1", "٣",
    ])
    func `other ids are none`(id: String) {
        #expect(RunPosition(id) == nil)
    }

    @Test func `ids are read as they are written`() {
        for position in [
            RunPosition(offset: 0), RunPosition(offset: 12), RunPosition(offset: 12, events: 3),
            RunPosition(life: 2, offset: 5), RunPosition(life: 1, offset: 0, events: 9),
        ] {
            #expect(RunPosition(position.text) == position)
        }
    }

    @Test func `a continued run knows the text and not the ids of the life before`() {
        var log = RunLog(text: "Before. ", life: 1)
        log.append("After.")
        #expect(lines(log.attach(lastEventID: nil)) == ["14@1 delta 0 Before. After."])
        #expect(lines(log.attach(lastEventID: "8")) == ["14@1 snapshot Before. After. []"])
        #expect(lines(log.attach(lastEventID: "8@1")) == ["14@1 delta 8 After."])
    }

    @Test func `nothing follows the end`() {
        var log = log()
        #expect(log.append(event(.done)) == true)
        #expect(log.append(event(.citation)) == false)
        #expect(log.append("more") == false)
        #expect(lines(log.attach(lastEventID: "14")) == ["14.1 done 1"])
        #expect(log.attach(lastEventID: "14.1").isComplete)
        #expect(log.attach(lastEventID: "junk").isComplete)
        #expect(!log.attach(lastEventID: "7", maxBytes: 1).isComplete)
    }

    @Test func `a reader with little room gets everything piece by piece`() {
        var log = log()
        log.append(event(.done))
        for room in [-1, 0, 1, 2, 3, 5, 100] {
            var position = RunPosition(offset: 0)
            var text = ""
            var kinds: [RunEvent.Kind] = []
            var reads = 0
            while reads < 100 {
                reads += 1
                let read = log.read(after: position, maxBytes: room)
                for frame in read.frames {
                    switch frame {
                    case .event(let event, _): kinds.append(event.kind)
                    case .delta(let piece, let offset, _):
                        #expect(offset == text.utf8.count)
                        text += piece
                    case .snapshot: Issue.record("a snapshot")
                    }
                }
                position = read.next
                if read.isComplete { break }
            }
            #expect(text == "One two thrée")
            #expect(kinds == [.passages, .state, .citation, .done])
        }
    }

    @Test func `text beyond the limit is left out at a border`() {
        var limits = RunLog.Limits()
        limits.textBytes = 6
        var log = RunLog(limits: limits)
        #expect(log.append("abcd") == true)
        #expect(log.append("eéé") == false)
        #expect(log.text == "abcde")
        // A gap would be worse than an end.
        #expect(log.append("f") == false)
        #expect(log.text == "abcde")
        #expect(log.end == RunPosition(offset: 5))
    }

    @Test func `a restored log has its events where they were`() {
        let events: [RunSnapshot.Placed] = [
            .init(offset: 0, event: event(.passages)), .init(offset: 3, event: event(.citation)),
            .init(offset: 2, event: event(.tool)), .init(offset: 99, event: event(.usage)),
            .init(offset: 99, event: event(.done)),
        ]
        let log = RunLog(text: "aéb", events: events, life: 1)
        #expect(
            lines(log.attach(lastEventID: nil)) == [
                "0.1@1 passages 1", "3@1 delta 0 aé", "3.1@1 citation 1", "4@1 delta 3 b", "4.1@1 usage 1",
            ])
        #expect(!log.hasEnded)
    }

    @Test func `old events make room, and who lacks them gets a snapshot`() {
        var limits = RunLog.Limits()
        (limits.events, limits.eventBytes) = (3, 8)
        var log = RunLog(limits: limits)
        for number in 1...5 {
            log.append("x")
            log.append(event(.tool, Int64(number)))
        }
        #expect(log.entries.map(\.position.text) == ["3.1", "4.1", "5.1"])
        #expect(lines(log.attach(lastEventID: "1.1")) == ["5.1 snapshot xxxxx [\"tool\", \"tool\", \"tool\"]"])
        #expect(
            lines(log.attach(lastEventID: "2.1")) == [
                "3 delta 2 x", "3.1 tool 3", "4 delta 3 x", "4.1 tool 4", "5 delta 4 x", "5.1 tool 5",
            ])
        #expect(log.append(RunEvent(.tool, .string("0123456789"))) == false)
        log.append(RunEvent(.tool, .string("01234")))
        #expect(log.entries.count == 2)
        #expect(log.append(RunEvent(.failed, .string("longer than the limit"))) == true)
        #expect(log.entries.count == 1)
    }

    @Test func `a run of ordinary length takes less than 100 kB`() {
        var log = RunLog()
        for place in 0..<200 { log.append(RunEvent(.state, .object(["place": .integer(Int64(place))]))) }
        let passage = JSONValue.object(["text": .string(String(repeating: "passage ", count: 150))])
        log.append(RunEvent(.passages, .array(Array(repeating: passage, count: 12))))
        for token in 0..<2000 {
            log.append(" token")
            if token % 50 == 0 { log.append(RunEvent(.citation, .object(["passage": .integer(3)]))) }
            if token % 10 == 0 { log.append(RunEvent(.state, .object(["progress": .number(0.5)]))) }
        }
        #expect(log.memory < 100_000)
        #expect(log.entries.count < 50)
    }

    @Test func `frames are server-sent events`() {
        var log = RunLog()
        log.append(RunEvent(.passages, .object(["n": .string("a\nb")])))
        log.append("é\"\n")
        #expect(
            log.attach(lastEventID: nil).frames.map { String(decoding: $0.serverSentEvent, as: UTF8.self) } == [
                "id: 0.1\nevent: passages\ndata: {\"n\":\"a\\u000ab\"}\n\n",
                "id: 4\nevent: delta\ndata: {\"at\":0,\"text\":\"é\\\"\\u000a\"}\n\n",
            ])
        #expect(
            log.attach(lastEventID: "9").frames.map { String(decoding: $0.serverSentEvent, as: UTF8.self) } == [
                "id: 4\nevent: snapshot\ndata: {\"text\":\"é\\\"\\u000a\",\"events\":"
                    + "[{\"at\":0,\"data\":{\"n\":\"a\\u000ab\"},\"event\":\"passages\"}]}\n\n"
            ])
    }
}

import NIOCore
import Testing

@testable import Transport

@Suite struct TransferStates {
    typealias Machine = TransferStateMachine<String, String>

    func receive(_ machine: inout Machine, _ text: String) -> Machine.ReceiveAction {
        Array(text.utf8).withUnsafeBytes { machine.receive($0) }
    }

    let head = UpstreamResponseHead(status: 200, headers: [])

    @Test func `a head that came before it is asked for is delivered at once`() {
        var machine = Machine(highWatermark: 10)
        machine.receive(head)
        guard case .deliver(.success(let delivered)) = machine.wantHead("h") else {
            Issue.record("no head")
            return
        }
        #expect(delivered.status == 200)
        guard case .none = machine.flush() else {
            Issue.record("someone is woken for nothing")
            return
        }
    }

    @Test func `all bytes of a turn reach the consumer in one wake-up`() {
        var machine = Machine(highWatermark: 100)
        machine.receive(head)
        guard case .wait = machine.wantChunk("c") else {
            Issue.record("delivered nothing")
            return
        }
        #expect(receive(&machine, "ab") == .taken)
        #expect(receive(&machine, "cd") == .taken)
        guard case .chunk("c", .success(let chunk?), resumeUpstream: false) = machine.flush() else {
            Issue.record("not woken")
            return
        }
        #expect(String(buffer: chunk) == "abcd")
        guard case .none = machine.flush() else {
            Issue.record("woken twice")
            return
        }
    }

    @Test func `a full buffer pauses the upstream until it is taken`() {
        var machine = Machine(highWatermark: 4)
        #expect(receive(&machine, "abcdef") == .taken)
        #expect(receive(&machine, "g") == .pause)
        #expect(machine.isPaused)
        guard case .deliver(.success(let chunk?), resumeUpstream: true) = machine.wantChunk("c") else {
            Issue.record("not resumed")
            return
        }
        #expect(String(buffer: chunk) == "abcdef")
        #expect(!machine.isPaused)
        #expect(receive(&machine, "g") == .taken)
    }

    @Test func `bytes before a failure come before the failure`() {
        var machine = Machine(highWatermark: 10)
        _ = receive(&machine, "ab")
        machine.end(.failed(UpstreamError(.cut, "x")))
        machine.end(.complete)
        guard case .deliver(.success(let chunk?), resumeUpstream: false) = machine.wantChunk("c") else {
            Issue.record("bytes are lost")
            return
        }
        #expect(String(buffer: chunk) == "ab")
        guard case .deliver(.failure(let error), _) = machine.wantChunk("c") else {
            Issue.record("the failure is lost")
            return
        }
        #expect(error.code == .cut)
    }

    @Test func `cancelling hands back whoever waits, once, in every phase`() {
        var waiting = Machine(highWatermark: 10)
        _ = waiting.wantHead("h")
        let first = waiting.cancel(with: .cancelled)
        #expect(first.abortTransfer && first.head == "h" && first.chunk == nil)
        let second = waiting.cancel(with: .cancelled)
        #expect(!second.abortTransfer && second.head == nil)

        var streaming = Machine(highWatermark: 10)
        streaming.receive(head)
        _ = streaming.wantChunk("c")
        #expect(streaming.cancel(with: .cancelled).chunk == "c")
        #expect(receive(&streaming, "late") == .abort)

        var done = Machine(highWatermark: 10)
        done.end(.complete)
        #expect(!done.cancel(with: .cancelled).abortTransfer)
    }

    @Test func `an end without a head is an error, and a second consumer is refused`() {
        var empty = Machine(highWatermark: 10)
        empty.end(.complete)
        guard case .deliver(.failure) = empty.wantHead("h") else {
            Issue.record("no error")
            return
        }
        var busy = Machine(highWatermark: 10)
        _ = busy.wantChunk("one")
        guard case .deliver(.failure, _) = busy.wantChunk("two") else {
            Issue.record("two consumers")
            return
        }
    }
}

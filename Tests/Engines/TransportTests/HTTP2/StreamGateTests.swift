import Testing

@testable import Transport

struct StreamGateTests {
    private func warm() -> StreamGate {
        var gate = StreamGate(limit: 100)
        gate.begins(1)
        gate.connectionOpens(for: 1)
        gate.cleared()
        gate.answered(1, status: 200)
        return gate
    }

    @Test func `a new connection carries one transfer until it answered`() {
        var gate = StreamGate(limit: 100)
        #expect(gate.room == 1)
        gate.begins(1)
        gate.connectionOpens(for: 1)
        #expect(gate.mustClear)
        gate.cleared()
        gate.begins(2)
        #expect(gate.scout == 1)
        gate.answered(2, status: 200)
        #expect(!gate.isWarm)
        gate.answered(1, status: 410)
        #expect(gate.isWarm)
        #expect(gate.room == 100)
        let isUseless = gate.ended(1)
        #expect(!isUseless)
    }

    @Test(arguments: [401, 403])
    func `a sender that was refused does not open the way for others`(status: Int) {
        var gate = StreamGate(limit: 100)
        gate.begins(1)
        gate.connectionOpens(for: 1)
        gate.answered(1, status: status)
        #expect(gate.room == 1)
        gate.begins(2)
        #expect(gate.scout == 2)
        gate.answered(2, status: 200)
        #expect(gate.isWarm)
    }

    @Test func `a second connection begins cold, and the others leave`() {
        var gate = warm()
        #expect(!gate.mustClear)
        gate.connectionOpens(for: 7)
        #expect(gate.mustClear)
        #expect(gate.room == 1)
        // An answer on the old connection says nothing about the new one.
        gate.answered(8, status: 200)
        #expect(!gate.isWarm)
        #expect(gate.scout == 7)
    }

    @Test func `a scout that ends without an answer makes the connection useless`() {
        var gate = StreamGate(limit: 100)
        gate.begins(1)
        gate.connectionOpens(for: 1)
        let ends = [gate.ended(2), gate.ended(1), gate.ended(1)]
        #expect(ends == [false, true, false])
        gate = warm()
        gate.connectionDropped()
        #expect(gate.room == 1)
        gate.begins(3)
        #expect(gate.scout == 3)
    }
}

import TestSupport
import Testing

@testable import Access
@testable import Server

/// Who may have one more connection, and which idle one makes room.
@Suite struct OpenConnectionsAreShared {
    /// Something that has an identity.
    private final class Handle: Sendable {}

    /// A table with connections that note when they are closed.
    private final class WatchedConnections {
        let table: OpenConnections
        private var handles: [Handle] = []
        private let closed = Collected<Int>()

        init(limit: Int, share: Int? = nil) { table = OpenConnections(limit: limit, share: share) }

        func add(_ address: ClientAddress) -> ConnectionRecord? {
            let handle = Handle()
            handles.append(handle)
            let number = handles.count
            let answer = table.add(ObjectIdentifier(handle), from: address) { [closed] in
                closed.add(number)
            }
            if case .open(let record) = answer { return record }
            return nil
        }

        var closedNumbers: [Int] { closed.all }
    }

    @Test func `an address has a share, this machine the largest`() {
        let connections = WatchedConnections(limit: 64)
        #expect(connections.table.share == 16 && connections.table.loopbackShare == 56)
        for _ in 0..<16 { connections.add(.v4(1))?.requestBegan() }
        #expect(connections.add(.v4(1)) == nil)
        for _ in 0..<48 { #expect(connections.add(.loopback) != nil) }
        #expect(connections.table.count == 64 && connections.closedNumbers.isEmpty)
        #expect(OpenConnections(limit: 64, share: 60).loopbackShare == 60)
        #expect(OpenConnections(limit: 2).loopbackShare == 2)
    }

    @Test func `the longest idle one without a key makes room`() throws {
        let connections = WatchedConnections(limit: 4, share: 4)
        let records = (0..<4).compactMap { _ in connections.add(.v4(1)) }
        try #require(records.count == 4)
        // The first has shown a key, the second is at work, the third has been used since.
        records[0].trust()
        records[1].requestBegan()
        records[2].requestBegan()
        records[2].responseEnded()
        let fifth = try #require(connections.add(.v4(2)))
        #expect(connections.closedNumbers == [4])
        #expect(connections.add(.v4(2)) != nil)
        #expect(connections.closedNumbers == [4, 3])
        fifth.trust()
        let seventh = try #require(connections.add(.v4(3)))
        #expect(connections.closedNumbers == [4, 3, 6])
        seventh.requestBegan()
        #expect(connections.add(.v4(4)) == nil)
        #expect(connections.table.count == 4 && connections.table.shed.value == 3)
        // One that was closed to make room is not taken away a second time when it ends.
        connections.table.remove(records[3])
        #expect(connections.table.count == 4)
        connections.table.remove(fifth)
        #expect(connections.table.count == 3 && connections.add(.v4(4)) != nil)
    }

    @Test func `an address makes room out of its own connections`() throws {
        let connections = WatchedConnections(limit: 8, share: 2)
        #expect(connections.add(.v4(1)) != nil)
        let own = [connections.add(.v4(2)), connections.add(.v4(2))]
        #expect(own.allSatisfy { $0 != nil })
        #expect(connections.add(.v4(2)) != nil)
        #expect(connections.closedNumbers == [2])
        #expect(connections.table.count == 3)
    }
}

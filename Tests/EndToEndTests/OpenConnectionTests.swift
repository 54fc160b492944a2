import Synchronization
import Testing

@testable import Access
@testable import Gateway
@testable import LLM
@testable import Search
@testable import Server

/// Who may have one more connection, and which idle one makes room.
@Suite struct OpenConnectionsAreShared {
    /// Something that has an identity.
    private final class Handle: Sendable {}

    /// A table with connections that note when they are closed.
    private final class Setting {
        let table: OpenConnections
        private var handles: [Handle] = []
        let closed = Box()

        final class Box: Sendable {
            let numbers = Mutex<[Int]>([])
        }

        init(limit: Int, share: Int? = nil) { table = OpenConnections(limit: limit, share: share) }

        func add(_ address: ClientAddress) -> ConnectionRecord? {
            let handle = Handle()
            handles.append(handle)
            let number = handles.count
            let answer = table.add(ObjectIdentifier(handle), from: address) { [closed] in
                closed.numbers.withLock { $0.append(number) }
            }
            if case .open(let record) = answer { return record }
            return nil
        }

        var closedNumbers: [Int] { closed.numbers.withLock { $0 } }
    }

    @Test func `an address has a share, this machine the largest`() {
        let setting = Setting(limit: 64)
        #expect(setting.table.share == 16 && setting.table.loopbackShare == 56)
        for _ in 0..<16 { setting.add(.v4(1))?.requestBegan() }
        #expect(setting.add(.v4(1)) == nil)
        for _ in 0..<48 { #expect(setting.add(.loopback) != nil) }
        #expect(setting.table.count == 64 && setting.closedNumbers.isEmpty)
        #expect(OpenConnections(limit: 64, share: 60).loopbackShare == 60)
        #expect(OpenConnections(limit: 2).loopbackShare == 2)
    }

    @Test func `the longest idle one without a key makes room`() throws {
        let setting = Setting(limit: 4, share: 4)
        let records = (0..<4).compactMap { _ in setting.add(.v4(1)) }
        try #require(records.count == 4)
        // The first has shown a key, the second is at work, the third has been used since.
        records[0].trust()
        records[1].requestBegan()
        records[2].requestBegan()
        records[2].responseEnded()
        let fifth = try #require(setting.add(.v4(2)))
        #expect(setting.closedNumbers == [4])
        #expect(setting.add(.v4(2)) != nil)
        #expect(setting.closedNumbers == [4, 3])
        fifth.trust()
        let seventh = try #require(setting.add(.v4(3)))
        #expect(setting.closedNumbers == [4, 3, 6])
        seventh.requestBegan()
        #expect(setting.add(.v4(4)) == nil)
        #expect(setting.table.count == 4 && setting.table.shed.value == 3)
        // One that was closed to make room is not taken away a second time when it ends.
        setting.table.remove(records[3])
        #expect(setting.table.count == 4)
        setting.table.remove(fifth)
        #expect(setting.table.count == 3 && setting.add(.v4(4)) != nil)
    }

    @Test func `an address makes room out of its own connections`() throws {
        let setting = Setting(limit: 8, share: 2)
        #expect(setting.add(.v4(1)) != nil)
        let own = [setting.add(.v4(2)), setting.add(.v4(2))]
        #expect(own.allSatisfy { $0 != nil })
        #expect(setting.add(.v4(2)) != nil)
        #expect(setting.closedNumbers == [2])
        #expect(setting.table.count == 3)
    }
}

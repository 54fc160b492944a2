import Machine
import Testing

@testable import Database

/// Who holds what a lease is about: after a death, a pause, a clock that jumped, and with another owner.
struct LeaseTests {
    private static let length = Duration.seconds(60)
    private static let now: Int64 = 1_800_000_000_000

    private enum Owner: CaseIterable {
        case living, dead, elsewhere

        var name: WorkerName {
            var parts = WorkerName().description.split(separator: "/", omittingEmptySubsequences: false)
            switch self {
            case .living: break
            case .dead: parts[2] = "2147483646"
            case .elsewhere: parts[1] = "pid:[4026531836]00000000"
            }
            return WorkerName(parts.joined(separator: "/"))
        }
    }

    private func state(
        _ owner: Owner?, endsIn milliseconds: Int64?, steadyFor steady: Int64 = 3_600_000, _ dialect: SQLDialect
    ) -> Lease.State {
        Lease(owner: owner?.name, end: milliseconds.map { Self.now + $0 }).state(
            at: StoreClock(now: Self.now, steadySince: Self.now - steady), length: Self.length, in: dialect)
    }

    @Test func `a process of this machine that ended holds nothing`() {
        #expect(state(.dead, endsIn: 50_000, .sqlite) == .processEnded)
        #expect(state(.dead, endsIn: nil, .sqlite) == .processEnded)
        #if os(Linux)
        #expect(state(.dead, endsIn: 50_000, .postgres) == .processEnded)
        #else
        // Elsewhere the system does not tell its boots apart, so the name may be of another machine.
        #expect(state(.dead, endsIn: 50_000, .postgres) == .held)
        #endif
    }

    @Test func `a process that lives keeps a file's lease through a pause, and a server's lease until its end`() {
        #expect(state(.living, endsIn: -3_600_000, .sqlite) == .held)
        #expect(state(.living, endsIn: 1, .postgres) == .held)
        #expect(state(.living, endsIn: -1, .postgres) == .silent)
    }

    @Test(arguments: [SQLDialect.sqlite, .postgres])
    func `an owner of another machine holds until the end of the lease`(_ dialect: SQLDialect) {
        #expect(state(.elsewhere, endsIn: 0, dialect) == .held)
        #expect(state(.elsewhere, endsIn: -1, dialect) == .silent)
        #expect(state(.elsewhere, endsIn: nil, dialect) == .held)
        #expect(state(nil, endsIn: 50_000, dialect) == .silent)
    }

    @Test(arguments: [SQLDialect.sqlite, .postgres])
    func `after a clock's jump or a server's start no lease ends for its length`(_ dialect: SQLDialect) {
        #expect(state(.elsewhere, endsIn: -7_200_000, steadyFor: 60_000, dialect) == .held)
        #expect(state(.elsewhere, endsIn: -7_200_000, steadyFor: 60_001, dialect) == .silent)
    }

    @Test func `a lease ends its length after a sign of life`() {
        let clock = StoreClock(now: Self.now, steadySince: 0)
        #expect(Lease.end(at: clock, length: Self.length) == Self.now + 60_000)
    }
}

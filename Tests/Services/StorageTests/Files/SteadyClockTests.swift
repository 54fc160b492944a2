import Synchronization
import Testing

@testable import Storage

struct SteadyClockTests {
    @Test func `a clock that jumps or a machine that slept is noticed at the next look`() {
        let wall = Mutex<Int64>(1_000_000)
        let passed = Mutex<Int64>(0)
        let clock = SteadyClock({ wall.withLock { $0 } }, passed: { passed.withLock { $0 } })
        func pass(_ awake: Int64, jump: Int64 = 0) -> (now: Int64, since: Int64) {
            passed.withLock { $0 += awake }
            wall.withLock { $0 += awake + jump }
            let look = clock.look()
            return (look.now, look.steadySince)
        }
        #expect(pass(60_000) == (1_060_000, 0))
        // A clock that is set by a second now and then is no jump.
        #expect(pass(1000, jump: 1500) == (1_062_500, 0))
        // The machine slept for an hour.
        #expect(pass(1000, jump: 3_600_000) == (4_663_500, 4_663_500))
        #expect(pass(30_000) == (4_693_500, 4_663_500))
        // Somebody set it back.
        #expect(pass(0, jump: -7_200_000) == (-2_506_500, -2_506_500))
        #expect(pass(10) == (-2_506_490, -2_506_500))
    }
}

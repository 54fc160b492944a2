import Concurrency
import Testing

@Suite struct RaceTests {
    @Test func `a race has one winner`() async {
        for _ in 0..<200 {
            let race = Race<Int>()
            for number in 0..<4 { Task { race.end(number) } }
            #expect((0..<4).contains(await race.value))
        }
        let ended = Race<Int>()
        ended.end(1)
        ended.end(2)
        #expect(await ended.value == 1)
    }
}

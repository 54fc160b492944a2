import TestSupport
import Testing

@testable import Retrieval

/// Columns that share pages, against arrays.
@Suite struct Columns {
    @Test(arguments: 0..<4) func `copies share pages until one is changed`(seed: UInt64) {
        var random = SeededGenerator(seed)
        let count = [0, 1, 8192, 20_000][Int(seed)]
        var kept: [(column: Column<Int32>, values: [Int32])] = []
        var values = (0..<count).map { Int32($0) }
        var column = Column(values)
        for _ in 0..<60 {
            if Bool.random(using: &random) { kept.append((column, values)) }
            for _ in 0..<40 {
                let value = Int32.random(in: .min ... .max, using: &random)
                if values.isEmpty || Int.random(in: 0..<3, using: &random) == 0 {
                    values.append(value)
                    column.append(value)
                } else {
                    let place = Int.random(in: 0..<values.count, using: &random)
                    values[place] = value
                    column[place] = value
                }
            }
        }
        kept.append((column, values))
        for (column, values) in kept {
            #expect(column.count == values.count)
            #expect((0..<column.count).map { column[$0] } == values)
            var pages: [Int32] = []
            column.forEachPage { start, page in
                #expect(start == pages.count)
                pages += page
            }
            #expect(pages == values)
        }
    }

    @Test func `a set keeps the numbers whose values pass`() {
        var random = SeededGenerator(5)
        let values = (0..<9000).map { _ in Int32.random(in: 0..<4, using: &random) }
        for capacity in [100, 8999, 9000, 9100] {
            var set = Bitmap(capacity: capacity)
            for number in 0..<capacity where Bool.random(using: &random) { set[number] = true }
            let before = set
            set.keep(Column(values)) { $0 == 2 }
            #expect((0..<capacity).allSatisfy { set[$0] == (before[$0] && ($0 >= values.count || values[$0] == 2)) })
            let inside = (0..<capacity).filter { before[$0] && $0 < values.count }
            var among = Bitmap(capacity: capacity)
            for number in inside { among[number] = true }
            var between = among
            among.keep(Column(values), among: [1, 3, -1])
            between.keep(Column(values.map(Int64.init)), from: 1, to: 2)
            #expect((0..<capacity).filter { among[$0] } == inside.filter { [1, 3].contains(values[$0]) })
            #expect((0..<capacity).filter { between[$0] } == inside.filter { [1, 2].contains(values[$0]) })
            among.keep(Column(values), among: [])
            #expect(among.count == 0)
            var both = before
            both.formIntersection(Bitmap(full: 90))
            #expect((0..<capacity).allSatisfy { both[$0] == (before[$0] && $0 < 90) })
        }
    }

    @Test func `rows in order need no places until one moves`() {
        var places = RowLocations(numbered: 3, rows: 2500)
        #expect(!places.isEmpty)
        #expect(places[0] == .init(part: 3, row: 0))
        #expect(places[2499] == .init(part: 3, row: 2499))
        #expect(places[2500] == nil)
        places[1500] = nil
        places[2499] = .init(part: 7, row: 1)
        places[4000] = .init(part: 8, row: 2)
        #expect(places[1500] == nil)
        #expect(places[1499] == .init(part: 3, row: 1499))
        #expect(places[2499] == .init(part: 7, row: 1))
        #expect(places[2501] == nil)
        #expect(places[4000] == .init(part: 8, row: 2))
        #expect(places[3999] == nil)
    }
}

import Testing

@testable import Database

/// Readings of values that another program may have written.
struct SQLCellTests {
    @Test func `each reading takes what means the same, and nothing else`() {
        let row = SQLRow([
            .null, .integer(7), .real(2.5), .text("12"), .text("x"), .bytes([0x61]), .bytes([0xff]), .real(.infinity),
        ])
        #expect((0...8).map(row.text) == [nil, "7", "2.5", "12", "x", "a", nil, "inf", nil])
        #expect((0...8).map(row.integer) == [nil, 7, nil, 12, nil, nil, nil, nil, nil])
        #expect((0...8).map(row.real) == [nil, 7, 2.5, 12, nil, nil, nil, nil, nil])
        #expect((0...8).map(row.bytes) == [nil, nil, nil, [0x31, 0x32], [0x78], [0x61], [0xff], nil, nil])
        #expect((0...8).map(row.count) == [0, 7, 0, 12, 0, 0, 0, 0, 0])
        #expect((0...8).map(row.isNull) == [true, false, false, false, false, false, false, false, true])
        #expect(row.integer(-1) == nil && row.isNull(-1))
    }

    @Test func `a date may be a text, seconds or milliseconds`() {
        #expect(SQLCell.text("2026-11-28").asDate == "2026-11-28")
        #expect(SQLCell.integer(1_795_824_000).asDate == "2026-11-28 00:00:00")
        #expect(SQLCell.real(1_795_824_000_000).asDate == "2026-11-28 00:00:00")
        #expect(SQLCell.integer(.max).asDate == "9223372036854775807")
        #expect(SQLCell.null.asDate == nil)
    }

    @Test func `a floating-point number that is whole reads as an integer`() {
        #expect(SQLCell.real(3).asInteger == 3)
        #expect(SQLCell.real(9.3e18).asInteger == nil)
        #expect(SQLCell.text(String(repeating: "1", count: 40)).asInteger == nil)
    }
}

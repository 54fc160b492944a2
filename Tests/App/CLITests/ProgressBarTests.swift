import Testing

@testable import CLI

@Suite struct Progress {
    func line(_ done: Int, _ total: Int, failed: Int = 0, workedOff: Int? = nil, columns: Int? = nil) -> String {
        ProgressBar.line(
            label: "backfill", unit: "notes", done: done, total: total, failed: failed, workedOff: workedOff ?? done,
            elapsed: .seconds(10), columns: columns)
    }

    @Test func `tells how far, how fast and how long still`() {
        #expect(line(50, 200) == "backfill  25%  50/200 notes  5.0 notes/s  ETA 30s")
        #expect(line(2000, 100_000) == "backfill   2%  2000/100000 notes  200 notes/s  ETA 8m10s")
        #expect(line(1, 10_000, failed: 2) == "backfill   0%  1/10000 notes  0.1 notes/s  ETA 27h46m  2 failed")
    }

    @Test func `a resumed job takes its rate from this run, and a finished one has no time left`() {
        #expect(line(150, 200, workedOff: 50) == "backfill  75%  150/200 notes  5.0 notes/s  ETA 10s")
        #expect(line(200, 200) == "backfill 100%  200/200 notes  20 notes/s")
        #expect(line(0, 0) == "backfill 100%  0/0 notes")
    }

    @Test func `a bar never outgrows its terminal`() {
        for columns in [1, 10, 40, 60, 80, 200] {
            for done in [0, 1, 99, 100] { #expect(line(done, 100, columns: columns).count < max(2, columns)) }
        }
        #expect(line(50, 100, columns: 100).contains("███████████████░░░░░░░░░░░░░░░"))
    }
}

import Testing

@testable import Search

/// When the file of an index is written again.
@Suite struct FileWritingTests {
    private let start = ContinuousClock.now

    private func isDue(
        _ changes: Int, of documents: Int, past writing: FileWriting = FileWriting(), isDamaged: Bool = false,
        quiet: Duration = .seconds(6), after: Duration = .zero
    ) -> Bool {
        let now = start + after
        return writing.isDue(changes, of: documents, isDamaged: isDamaged, lastChange: now - quiet, now: now)
    }

    @Test(arguments: [(0, 1000), (100_000, 1000), (1_000_000, 1000), (4_000_000, 4000), (90_000_000, 10_000)])
    func `larger indexes wait for more changes`(_ documents: Int, _ wanted: Int) {
        #expect(!FileWriting.isWorthwhile(wanted - 1, of: documents))
        #expect(FileWriting.isWorthwhile(wanted, of: documents))
        #expect(!isDue(wanted - 1, of: documents) && isDue(wanted, of: documents))
    }

    @Test func `changes pause first, shortly when much is not in the file`() {
        #expect(!isDue(9000, of: 100_000, quiet: .seconds(4)))
        #expect(isDue(9000, of: 100_000, quiet: .seconds(6)))
        #expect(isDue(30_000, of: 100_000, quiet: .seconds(2)))
        #expect(!isDue(30_000, of: 100_000, quiet: .milliseconds(500)))
    }

    @Test func `a damaged file is written for one change, and not for none`() {
        #expect(isDue(1, of: 1_000_000, isDamaged: true))
        #expect(!isDue(0, of: 1_000_000, isDamaged: true))
    }

    @Test func `the next write waits for twenty times as long as the last one took`() {
        var writing = FileWriting()
        writing.wrote(from: start - .seconds(60), to: start)
        #expect(!isDue(10_000, of: 10_000_000, past: writing, after: .seconds(1199)))
        #expect(isDue(10_000, of: 10_000_000, past: writing, after: .seconds(1201)))
        // A bulk and a damaged file do not wait.
        #expect(isDue(3_000_000, of: 10_000_000, past: writing, after: .seconds(10)))
        #expect(isDue(1, of: 10_000_000, past: writing, isDamaged: true, after: .seconds(10)))
    }
}

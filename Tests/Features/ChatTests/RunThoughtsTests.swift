import ChatRun
import Testing

@testable import Chat

/// What a run keeps of its thoughts, for the reader that shows them.
@Suite struct KeptThoughts {
    /// Appends pieces. Returns whether each was kept.
    private func append(_ pieces: String..., to thoughts: inout RunThoughts) -> [Bool] {
        pieces.map { thoughts.append($0) }
    }

    @Test func `turns are set apart, and each piece is read once`() {
        var thoughts = RunThoughts(isKept: true)
        thoughts.beginTurn()
        let first = append("a", "b", "", to: &thoughts)
        let read = [thoughts.take(), thoughts.take()]
        #expect(first == [true, true, false] && read == ["ab", ""])
        thoughts.beginTurn()
        thoughts.beginTurn()
        let second = append("c", "d", to: &thoughts)
        #expect(second == [true, true] && thoughts.unread == "\n\ncd")
    }

    @Test func `without such a reader nothing is kept`() {
        var thoughts = RunThoughts(isKept: false)
        let kept = append("a", to: &thoughts)
        #expect(kept == [false] && thoughts.unread == "")
    }

    @Test func `they end where they are as large as a text can be`() {
        var thoughts = RunThoughts(isKept: true)
        let large = append(String(repeating: "x", count: RunThoughts.maxBytes - 1), to: &thoughts)
        // Read or not: a run has no more.
        let read = thoughts.take()
        let more = append("ab", "c", to: &thoughts)
        #expect(large == [true] && read.utf8.count == RunThoughts.maxBytes - 1)
        #expect(more == [false, false] && thoughts.unread == "")
    }

    @Test func `none are kept behind the first text`() {
        var feed = RunFeed(RunLog(), keepsThoughts: true)
        feed.think("before")
        let kept = feed.append("text")
        feed.think("behind")
        #expect(kept && feed.thoughts.unread == "before")
    }
}

import Inference
import TestSupport
import Testing

@testable import Chat

@Suite struct PrefillWishes {
    private func wish(_ session: String) -> Prefills.Wish {
        let owner = RunOwner(caller: AdmissionCaller("a"), key: nil, scopes: nil) { _, _, _ in }
        return Prefills.Wish(subject: .session(session), owner: owner) { _ in true }
    }

    @Test func `the newest wish replaces older ones, and cancels what another one began`() {
        let prefills = Prefills(isOn: true)
        prefills.wish(wish("a"))
        prefills.wish(wish("b"))
        #expect(prefills.take()?.subject == .session("b") && prefills.take() == nil)
        let cancelled = Locked(0)
        prefills.began { cancelled.change { $0 += 1 } }
        // The same conversation goes on.
        prefills.wish(wish("b"))
        #expect(cancelled.value == 0 && prefills.take() == nil && prefills.isWanted)
        prefills.wish(wish("c"))
        #expect(cancelled.value == 1 && !prefills.isWanted)
        prefills.ended()
        #expect(prefills.take()?.subject == .session("c"))
        // Cancelled before it is known how.
        prefills.forget("c")
        prefills.began { cancelled.change { $0 += 1 } }
        #expect(cancelled.value == 2)
    }

    @Test func `a question takes the wish back, and lets go on what has begun`() {
        let prefills = Prefills(isOn: true)
        prefills.wish(wish("a"))
        prefills.leave("a")
        #expect(prefills.take() == nil)
        prefills.wish(wish("a"))
        #expect(prefills.take() != nil)
        let cancelled = Locked(0)
        prefills.began { cancelled.change { $0 += 1 } }
        prefills.leave("other")
        #expect(prefills.isWanted)
        prefills.leave("a")
        #expect(!prefills.isWanted && cancelled.value == 0)
    }

    @Test func `nothing is wished for when it is off`() {
        let prefills = Prefills(isOn: false)
        prefills.wish(wish("a"))
        #expect(prefills.take() == nil)
    }

    @Test func `what a server has counts until another request, message or model`() {
        let prefills = Prefills(isOn: true)
        let known = Prefills.Computed(subject: .session("a"), message: 3, model: "m", requests: 7)
        #expect(!prefills.has(known))
        prefills.note(known)
        #expect(prefills.has(known))
        for change: (inout Prefills.Computed) -> Void in [
            { $0.requests = 8 }, { $0.message = 4 }, { $0.model = "n" }, { $0.subject = .session("b") },
        ] {
            var other = known
            change(&other)
            #expect(!prefills.has(other))
        }
        prefills.forget("a")
        #expect(!prefills.has(known))
    }

    @Test func `a caller gets so many a minute, and so many callers are counted`() {
        var limit = StartLimit()
        let start = ContinuousClock.now
        func takes(_ name: String, _ second: Int) -> Bool { limit.take(name, at: start + .seconds(second)) }
        for second in 0..<StartLimit.most { #expect(takes("a", second)) }
        #expect(!takes("a", 59))
        #expect(takes("b", 59))
        #expect(takes("a", 60))
        #expect(!takes("a", 60))
        for number in 2..<StartLimit.callers { #expect(takes("\(number)", 60)) }
        #expect(!takes("one more", 60))
        #expect(takes("b", 60))
        #expect(takes("one more", 200))
    }
}

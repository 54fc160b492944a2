import TestSupport
import Testing

@testable import Inference

/// Single flight, without tasks.
@Suite struct InFlightCallsTests {
    typealias Table = InFlightCalls<String, Int, UInt64>

    @Test func `a second request joins what is under way and begins the rest`() {
        var table = Table()
        let first = table.join(["a", "b"], .interactive)
        #expect(first.joined.isEmpty)
        #expect(first.own?.keys == ["a", "b"])
        let second = table.join(["b", "c", "a"], .interactive)
        #expect(second.joined.map(\.keys) == [["b", "a"]])
        #expect(second.joined.map(\.call) == [first.own?.call])
        #expect(second.own?.keys == ["c"])
    }

    @Test func `an interactive request joins a batch call only once that has its place`() throws {
        var table = Table()
        let batch = try #require(table.join(["a"], .batch).own)
        #expect(table.join(["a"], .batch).own == nil)
        var copy = table
        #expect(copy.join(["a"], .interactive).own?.keys == ["a"])
        // Whoever comes now joins the more urgent call.
        #expect(copy.join(["a"], .batch).joined.map(\.call) != [batch.call])
        table.begin(batch.call)
        #expect(table.join(["a"], .interactive).joined.map(\.call) == [batch.call])
    }

    @Test func `an outcome waits for those who have not begun to wait`() throws {
        var table = Table()
        let first = table.join(["a"], .interactive)
        let call = try #require(first.own).call
        let second = table.join(["a"], .interactive)
        guard case .wait = table.wait(first.sharer, for: call, 1) else {
            Issue.record("nothing has come yet")
            return
        }
        #expect(table.complete(call, 7) == [1])
        guard case .deliver(7) = table.wait(second.sharer, for: call, 2) else {
            Issue.record("it has come")
            return
        }
        #expect(table.leave(first.sharer, call).aborts == false)
        #expect(table.leave(second.sharer, call).aborts == false)
        #expect(table.isEmpty)
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `every waiter is woken once, and a call is aborted exactly when all have left it`(seed: UInt64) {
        var random = SeededGenerator(seed)
        var table = Table()
        /// Who is in which call, and waits there.
        var inside: [UInt64: [UInt64: Bool]] = [:]
        var running: Set<UInt64> = []
        var woken: Set<UInt64> = []
        for _ in 0..<Gear.rounds(5000) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let keys = Set((0..<3).map { _ in "\(Int.random(in: 0..<12, using: &random))" }).sorted()
                let entry = table.join(keys, Bool.random(using: &random) ? .batch : .interactive)
                #expect((entry.joined.flatMap(\.keys) + (entry.own?.keys ?? [])).sorted() == keys)
                for call in entry.joined.map(\.call) {
                    #expect(running.contains(call))
                    inside[call, default: [:]][entry.sharer] = false
                }
                if let own = entry.own {
                    #expect(running.insert(own.call).inserted)
                    inside[own.call] = [entry.sharer: false]
                }
            case 4..<6:
                guard let call = inside.keys.sorted().randomElement(using: &random),
                    let sharer = inside[call]?.keys.sorted().randomElement(using: &random),
                    inside[call]?[sharer] == false
                else { continue }
                switch table.wait(sharer, for: call, sharer &* 1_000_000 &+ call) {
                case .wait:
                    #expect(running.contains(call))
                    inside[call]?[sharer] = true
                case .deliver(let value):
                    #expect(!running.contains(call) && value == Int(call))
                case .gone: Issue.record("it has not left")
                }
            case 6..<8:
                guard let call = inside.keys.sorted().randomElement(using: &random),
                    let sharer = inside[call]?.keys.sorted().randomElement(using: &random)
                else { continue }
                let action = table.leave(sharer, call)
                let waited = inside[call]?.removeValue(forKey: sharer) == true
                #expect((action.waiter != nil) == waited)
                if let waiter = action.waiter { #expect(woken.insert(waiter).inserted) }
                #expect(action.aborts == (inside[call] == [:] && running.contains(call)))
                if inside[call] == [:] {
                    inside[call] = nil
                    running.remove(call)
                }
            case 8:
                if let call = running.sorted().randomElement(using: &random) { table.begin(call) }
            default:
                guard let call = running.sorted().randomElement(using: &random) else { continue }
                let waiters = table.complete(call, Int(call))
                #expect(waiters.count == inside[call]?.values.count { $0 } ?? 0)
                for waiter in waiters { #expect(woken.insert(waiter).inserted) }
                running.remove(call)
                inside[call] = inside[call]?.mapValues { _ in false }
            }
            #expect(table.count == running.count)
            #expect(table.isEmpty == inside.isEmpty)
        }
    }
}

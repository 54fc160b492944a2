import Foundation
import GRDB
import GatewayAPI
import Inference
import KeyRoom
import Synchronization
import TestSupport
import Testing

@testable import Access
@testable import Server
@testable import Storage

@Suite struct KeyRings {
    /// 2027-01-01 00:00:00 UTC.
    let midnight: Int64 = 1_798_761_600

    @Test func `tokens are free again at midnight UTC, and the refusal says when that is`() async throws {
        try await KeyRingOnStillClock.with(unixSeconds: midnight - 90) { setting in
            let identity = try await setting.identity(KeyGrant(tokensPerDay: 10))
            let key = try #require(identity.keyID)
            #expect(setting.refusal(identity) == nil)
            setting.ring.recordTokens(identity, of: "m", prompt: 4, completion: 5)
            #expect(setting.refusal(identity) == nil)
            setting.ring.recordTokens(identity, of: "m", prompt: 0, completion: 1)
            let refusal = try #require(setting.refusal(identity))
            #expect(refusal.code == .quotaExceeded)
            #expect(refusal.retryAfter == 90)
            #expect(setting.refusal(identity, .requireScope(.notesRead)) == nil)
            setting.clock.advance(seconds: 89)
            #expect(setting.refusal(identity)?.retryAfter == 1)
            setting.clock.advance(seconds: 1)
            #expect(setting.refusal(identity) == nil)
            setting.ring.recordTokens(identity, of: "m", prompt: 1, completion: 0)
            try await setting.ring.meter.write()
            let usage = try await setting.database.keys.usage(since: UTCDay(unixSeconds: 0))
            #expect(usage.map(\.place.day.text) == ["2027-01-01", "2026-12-31"])
            #expect(usage.map(\.place.key) == [key, key])
            #expect(usage[0].usage == KeyUsage(requests: 1, promptTokens: 1))
            #expect(usage[1].usage == KeyUsage(requests: 5, refused: 2, promptTokens: 4, completionTokens: 6))
        }
    }

    @Test func `a budget is used up until the next month`() async throws {
        // The last day of 2026, 90 seconds before its end.
        try await KeyRingOnStillClock.with(unixSeconds: midnight - 90) { setting in
            let list = try PriceList("currency EUR\nbig 1000 3000\n*  0.5 0.5")
            setting.ring.meter.setPrices(list)
            let identity = try await setting.identity(KeyGrant(budgetPerMonth: Money("0.01")))
            setting.ring.recordTokens(identity, of: "big", prompt: 3, completion: 2)
            #expect(setting.refusal(identity) == nil)
            let key = try #require(identity.keyID)
            #expect(setting.ring.meter.spent(by: key).cost == Money("0.009"))
            try await setting.ring.meter.write()
            _ = try await setting.ring.meter.readKeys()
            #expect(setting.ring.meter.spent(by: key).cost == Money("0.009"))
            setting.ring.recordTokens(identity, of: "BIG:latest", prompt: 1, completion: 0)
            let refusal = try #require(setting.refusal(identity))
            #expect(refusal.code == .quotaExceeded && refusal.retryAfter == 90)
            do throws(AccessRefusal) {
                try setting.ring.admit(identity, to: .requireScope(.llm, spendsTokens: true))
            } catch {
                #expect(GatewayError(error).message.contains("0.01 EUR a month"))
            }
            await #expect(throws: AccessRefusal.self) { try await setting.ring.requireFunds(ofKey: key) }
            setting.clock.advance(seconds: 90)
            #expect(setting.refusal(identity) == nil && setting.ring.meter.spent(by: key) == KeySpending())
            try await setting.ring.meter.write()
            let usage = try await setting.database.keys.usage(since: UTCDay(unixSeconds: 0))
            #expect(usage.map(\.usage.cost) == [.zero, Money("0.01")])
        }
    }

    @Test func `within a month the days before count`() async throws {
        try await KeyRingOnStillClock.with(unixSeconds: midnight) { setting in
            setting.ring.meter.setPrices(try PriceList("m 10000 0"))
            let identity = try await setting.identity(KeyGrant(budgetPerMonth: Money("1")))
            setting.ring.recordTokens(identity, of: "m", prompt: 60, completion: 0)
            try await setting.ring.meter.write()
            setting.clock.advance(seconds: 30 * UTCDay.seconds)
            #expect(setting.refusal(identity) == nil)
            setting.ring.recordTokens(identity, of: "m", prompt: 40, completion: 0)
            #expect(setting.refusal(identity)?.retryAfter == Int(UTCDay.seconds))
            try await setting.ring.meter.write()
            #expect(setting.refusal(identity) != nil)
            setting.clock.advance(seconds: UTCDay.seconds)
            #expect(setting.refusal(identity) == nil)
        }
    }

    @Test func `a caller has its key's priority and limits, and those of the key that made it`() async throws {
        try await KeyRingOnStillClock.with { setting in
            let maker = try await setting.database.keys.create(
                name: "maker", grant: KeyGrant(requestsAtOnce: 3, priority: .high))
            let child = try await setting.database.keys.create(
                name: "child", grant: KeyGrant(requestsAtOnce: 1, priority: .low), parent: maker.record.id)
            guard case .known(let one) = try await setting.ring.find(bearer: maker.secret),
                case .known(let other) = try await setting.ring.find(bearer: child.secret)
            else { throw CancellationError() }
            #expect(one.caller.priority == .preferred && one.caller(.batch).priority == .batch)
            #expect(one.caller.ceilings == [AdmissionCeiling(name: "key \(maker.record.id)", places: 3)])
            #expect(other.caller.priority == .batch && other.caller.identity == one.caller.identity)
            #expect(
                Set(other.caller.ceilings) == [
                    AdmissionCeiling(name: "key \(child.record.id)", places: 1),
                    AdmissionCeiling(name: "key \(maker.record.id)", places: 3),
                ])
        }
    }

    @Test func `a key that another process created just now is known`() async throws {
        try await KeyRingOnStillClock.with { setting in
            let first = try await setting.database.keys.create(name: "first", grant: KeyGrant())
            for number in 0..<20 {
                // The cached keys are fresh, and lack the key that comes next.
                guard case .known = try await setting.ring.find(bearer: first.secret) else { throw CancellationError() }
                let next = try await setting.database.keys.create(name: "key \(number)", grant: KeyGrant())
                try await Task.sleep(for: KeyRing.missAge)
                guard case .known = try await setting.ring.find(bearer: next.secret) else {
                    Issue.record("key \(number) is unknown")
                    continue
                }
            }
            #expect(try await setting.ring.find(bearer: "slk_no_such_key") == .wrong)
        }
    }

    @Test func `tokens count before, while and after they are written, and from another process`() async throws {
        try await KeyRingOnStillClock.with { setting in
            let identity = try await setting.identity(KeyGrant(tokensPerDay: 100))
            let key = try #require(identity.keyID)
            let other = KeyRing(
                token: nil, store: setting.database, isLoopback: true, clock: setting.clock.keyClock)
            for round in 1...5 {
                setting.ring.recordTokens(identity, of: "m", prompt: 6, completion: 0)
                other.recordTokens(identity, of: "m", prompt: 0, completion: 4)
                #expect(setting.ring.meter.spent(by: key).tokens == 10 * (round - 1) + 6)
                async let first: Void = setting.ring.meter.write()
                async let second: Void = other.meter.write()
                #expect(setting.ring.meter.spent(by: key).tokens >= 10 * (round - 1) + 6)
                _ = try await (first, second)
                _ = try await setting.ring.meter.readKeys()
                _ = try await other.meter.readKeys()
                #expect(setting.ring.meter.spent(by: key).tokens == 10 * round)
                #expect(other.meter.spent(by: key).tokens == 10 * round)
            }
        }
    }

    @Test func `numbers of tokens that cannot be are bounded`() async throws {
        try await KeyRingOnStillClock.with { setting in
            let identity = try await setting.identity(KeyGrant(tokensPerDay: 10))
            setting.ring.recordTokens(identity, of: "m", prompt: -5, completion: .min)
            #expect(setting.refusal(identity) == nil)
            for _ in 0..<3 { setting.ring.recordTokens(identity, of: "m", prompt: .max, completion: .max) }
            #expect(setting.refusal(identity)?.code == .quotaExceeded)
            try await setting.ring.meter.write()
        }
    }

    @Test func `what cannot be written is kept`() async throws {
        try await KeyRingOnStillClock.with { setting in
            let identity = try await setting.identity(KeyGrant(tokensPerDay: 10))
            let key = try #require(identity.keyID)
            setting.ring.recordTokens(identity, of: "m", prompt: 6, completion: 0)
            try setting.database.close()
            for tokens in [6, 10] {
                await #expect(throws: (any Error).self) { try await setting.ring.meter.write() }
                #expect(setting.ring.meter.spent(by: key).tokens == tokens)
                #expect(setting.ring.meter.waiting == 1)
                setting.ring.recordTokens(identity, of: "m", prompt: 0, completion: 4)
            }
        }
    }

    @Test func `a key expires at its very second`() async throws {
        try await KeyRingOnStillClock.with(unixSeconds: midnight - 1) { setting in
            let secret = try await setting.database.keys.create(name: "a", grant: KeyGrant(expiresAt: midnight)).secret
            guard case .known = try await setting.ring.find(bearer: secret) else {
                Issue.record("it expired early")
                return
            }
            setting.clock.advance(seconds: 1)
            guard case .expired(let identity) = try await setting.ring.find(bearer: secret) else {
                Issue.record("it still holds")
                return
            }
            #expect(identity.keyID != nil)
        }
    }

    @Test func `of many requests at once as many pass as the rate allows`() async throws {
        try await KeyRingOnStillClock.with { setting in
            let identity = try await setting.identity(KeyGrant(requestsPerMinute: 100))
            let passed = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<16 {
                    group.addTask { (0..<50).count { _ in setting.refusal(identity) == nil } }
                }
                return await group.reduce(0, +)
            }
            #expect(passed == 100)
            setting.clock.advance(seconds: 6)
            #expect((0..<50).count { _ in setting.refusal(identity) == nil } == 10)
            try await setting.ring.meter.write()
            let usage = try await setting.database.keys.usage(since: UTCDay(unixSeconds: 0))
            #expect(usage.map(\.usage) == [KeyUsage(requests: 850, refused: 740)])
        }
    }

    @Test(arguments: [1, 7, 60, 1000, 1_000_000]) func `after the wait that a refusal names, a request passes`(
        limit: Int
    ) async throws {
        let start = ContinuousClock.now
        var bucket = RequestBucket(perMinute: limit, at: start)
        #expect((0..<limit).allSatisfy { _ in bucket.take(perMinute: limit, at: start) == nil })
        var now = start
        for _ in 0..<100 {
            let refusal = bucket.take(perMinute: limit, at: now)
            let wait = try #require(refusal)
            #expect(wait > .zero && wait <= .seconds(60) / limit + .nanoseconds(1))
            #expect(bucket.take(perMinute: limit, at: now + wait * 0.9) != nil)
            now += wait
            #expect(bucket.take(perMinute: limit, at: now) == nil)
        }
    }

    @Test func `a rate that is edited keeps what was used, and a clock that goes back does no harm`() {
        let now = ContinuousClock.now
        var bucket = RequestBucket(perMinute: 10, at: now)
        for _ in 0..<10 { #expect(bucket.take(perMinute: 10, at: now) == nil) }
        #expect(bucket.take(perMinute: 10, at: now - .seconds(100)) != nil)
        for _ in 0..<5 { #expect(bucket.take(perMinute: 15, at: now) == nil) }
        #expect(bucket.take(perMinute: 15, at: now) != nil)
        #expect(bucket.take(perMinute: 1, at: now) == .seconds(60))
        #expect(bucket.take(perMinute: 1, at: now + .seconds(3600)) == nil)
        #expect(bucket.take(perMinute: 1, at: now + .seconds(3600)) != nil)
    }

    @Test func `ten thousand authentications leave nothing behind but their counts`() async throws {
        weak var gone: KeyRing?
        try await KeyRingOnStillClock.with(token: "the-token-of-this-gateway") { setting in
            let secret = try await setting.database.keys.create(
                name: "a", grant: KeyGrant(requestsPerMinute: 1_000_000)
            ).secret
            let ring = KeyRing(
                token: "the-token-of-this-gateway", store: setting.database, isLoopback: true,
                clock: setting.clock.keyClock)
            gone = ring
            var (known, wrong) = (0, 0)
            for number in 0..<10_000 {
                let token = number % 2 == 0 ? secret : "slk_wrong\(number)"
                switch try await ring.find(bearer: token) {
                case .known(let identity):
                    try ring.admit(identity, to: .requireScope(.llm))
                    known += 1
                case .wrong: wrong += 1
                default: Issue.record("neither known nor wrong")
                }
            }
            #expect((known, wrong) == (5000, 5000))
            #expect(ring.meter.waiting == 1)
            #expect(ring.buckets.withLock { $0.count } == 1)
            try await ring.meter.write()
            #expect(ring.meter.waiting == 0)
            let usage = try await setting.database.keys.usage(since: UTCDay(unixSeconds: 0))
            #expect(usage.map(\.usage) == [KeyUsage(requests: 5000)])
            try await setting.database.keys.revoke("a")
            #expect(try await eventually { try await ring.find(bearer: secret) == .wrong })
            #expect(ring.buckets.withLock { $0.isEmpty })
        }
        // A read that was begun beside the last requests may still end.
        for _ in 0..<10_000 where gone != nil { await Task.yield() }
        #expect(gone == nil)
    }

    @Test func `a ring that ever had a credential stays closed without any`() async throws {
        try await KeyRingOnStillClock.with(token: "the-token-of-this-gateway") { setting in
            setting.ring.setToken(nil)
            let finding = try await setting.ring.find(bearer: nil)
            #expect(finding == .missing)
        }
        try await KeyRingOnStillClock.with { setting in
            #expect(try await setting.ring.find(bearer: nil) == .known(.anonymous))
            let secret = try await setting.database.keys.create(name: "a").secret
            while try await setting.ring.find(bearer: nil) != .missing { await Task.yield() }
            let other = try DatabaseQueue(path: setting.database.path)
            try await other.write { try $0.execute(sql: "DELETE FROM gateway_keys") }
            while try await setting.ring.find(bearer: secret) != .wrong { await Task.yield() }
            #expect(try await setting.ring.find(bearer: nil) == .missing)
        }
    }

    @Test(.timeLimit(.minutes(1))) func `scans that occupy every reader of the database delay no key`() async throws {
        try await KeyRingOnStillClock.with { setting in
            let secret = try await setting.database.keys.create(name: "a").secret
            let gate = DispatchSemaphore(value: 0)
            let inside = MetricsCounter()
            let scans = (0..<4).map { _ in
                Task { [database = setting.database] in
                    try await database.read { _ in
                        inside.add()
                        gate.wait()
                    }
                }
            }
            while inside.value < 4 { await Task.yield() }
            guard case .known(let identity) = try await setting.ring.find(bearer: secret) else {
                Issue.record("the key is not known")
                return
            }
            #expect(identity.name == "a")
            #expect(try await setting.ring.find(bearer: "slk_wrong") == .wrong)
            for _ in scans { gate.signal() }
            for scan in scans { try await scan.value }
        }
    }

    @Test func `requests that come together share one look at the keys`() async throws {
        try await KeyRingOnStillClock.with { setting in
            let secret = try await setting.database.keys.create(name: "a").secret
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let finding = try await setting.ring.find(bearer: number % 2 == 0 ? secret : nil)
                        if case .known = finding { return number % 2 == 0 }
                        return finding == .missing && number % 2 == 1
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }
    }
}

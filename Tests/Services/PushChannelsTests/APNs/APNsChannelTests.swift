import Delivery
import FakeAPNs
import Foundation
import Push
import Schedules
import TestSupport
import Testing

@testable import PushChannels

@Suite(.serialized) struct APNsChannels {
    @Test func `a push arrives whole, and its report says what APNs said`() async throws {
        let stand = try await APNsStand()
        let report = await stand.channel.send(try APNsStand.attempt(1))
        #expect(report.verdict == .accepted)
        #expect(report.status == 200)
        #expect(report.serviceID == "unique-\(APNsStand.id(1))")
        #expect(report.environment == .production)
        #expect(report.said == nil)
        #expect((0..<5000).contains(report.milliseconds))
        let last = try #require(stand.production.book.last)
        #expect(last.path == "/3/device/" + APNsStand.token(1))
        #expect(last.headers["apns-topic"] == "com.example.app")
        #expect(last.headers["apns-id"] == APNsStand.id(1))
        #expect(last.headers["apns-collapse-id"] == APNsStand.id(1))
        #expect(last.headers["content-type"] == nil)
        #expect(String(decoding: last.body, as: UTF8.self).contains("High water at 1"))
        try await stand.stop()
    }

    @Test(.slow) func `a flood on a cold connection signs one token and loses nothing`() async throws {
        let stand = try await APNsStand()
        var verdicts: [PushVerdict: Int] = [:]
        for round in 0..<4 {
            verdicts.merge(try await stand.sendAll(round * 200..<(round + 1) * 200), uniquingKeysWith: +)
        }
        #expect(verdicts == [.accepted: 800])
        let account = stand.production.book.account
        #expect(account.tokens == 1)
        #expect(account.connections == 1)
        #expect(account.maxCold == 1)
        #expect(account.maxInFlight <= 100)
        #expect(account.acceptedIDs.count == 800)
        #expect(account.repeated == 0)
        try await stand.stop()
    }

    @Test func `a new token follows after 40 to 50 minutes, once for all pushes`() async throws {
        let clock = Locked(APNsStand.start)
        var options = FakeAPNs.Options()
        options.now = { clock.value.seconds }
        let stand = try await APNsStand(options)
        for minutes in stride(from: Int64(0), through: 100, by: 10) {
            clock.change { $0 = APNsStand.start.adding(seconds: minutes * 60) }
            stand.uptime.change { $0 = minutes * 60 }
            #expect(try await stand.sendAll(0..<30, now: clock.value) == [.accepted: 30])
        }
        #expect((3...4).contains(stand.production.book.account.tokens))
        #expect(stand.production.book.account.refusals.isEmpty)
        try await stand.stop()
    }

    @Test func `a clock that is set right after a refusal gets a new token at once`() async throws {
        let server = Locked(APNsStand.start)
        var options = FakeAPNs.Options()
        options.now = { server.value.seconds }
        let stand = try await APNsStand(options)
        // The clock of the gateway is two hours slow; after five seconds it is set.
        let slow = APNsStand.start.adding(seconds: -7200)
        let first = await stand.channel.send(try APNsStand.attempt(1, now: slow))
        #expect(first.verdict == .stop)
        #expect(first.said == "ExpiredProviderToken")
        #expect(first.outcome.explanation.contains("clock"))
        guard case .stopped(let stop) = stand.channel.state else {
            Issue.record("not stopped")
            return
        }
        #expect(stop.reason.contains("production"))
        stand.uptime.change { $0 = 5 }
        let requests = stand.production.book.account.requests
        #expect(await stand.channel.send(try APNsStand.attempt(2)).verdict == .stop)
        #expect(stand.production.book.account.requests == requests)
        stand.channel.resume()
        #expect(stand.channel.state == .ready)
        #expect(await stand.channel.send(try APNsStand.attempt(2)).verdict == .accepted)
        try await stand.stop()
    }

    @Test func `a token that expired early is renewed by one of many pushes`() async throws {
        let server = Locked(APNsStand.start)
        var options = FakeAPNs.Options()
        options.now = { server.value.seconds }
        let stand = try await APNsStand(options)
        #expect(await stand.channel.send(try APNsStand.attempt(1)).verdict == .accepted)
        // APNs' clock runs ahead; here 30 minutes have passed.
        server.change { $0 = $0.adding(seconds: 3900) }
        stand.uptime.change { $0 = 1800 }
        let now = APNsStand.start.adding(seconds: 1800)
        let verdicts = try await stand.sendAll(2..<60, now: now)
        #expect(verdicts[.renewToken, default: 0] >= 1)
        #expect(verdicts.values.reduce(0, +) == 58)
        #expect(Set(verdicts.keys).isSubset(of: [.renewToken, .accepted]))
        let history = PushAttempt.History(renewedToken: true)
        let again = try APNsStand.attempt(2, now: now, history: history)
        #expect(await stand.channel.send(again).verdict == .accepted)
        #expect(stand.production.book.account.tokens == 2)
        try await stand.stop()
    }

    @Test func `a wrong key stops its environment, not the other one`() async throws {
        var options = FakeAPNs.Options()
        options.keyID = "OTHERKEY99"
        let stand = try await APNsStand(options, signer: "ABC123DEFG")
        let report = await stand.channel.send(try APNsStand.attempt(1))
        #expect(report.verdict == .stop)
        #expect(report.status == 403)
        #expect(report.said == "InvalidProviderToken")
        #expect(await stand.channel.send(try APNsStand.attempt(2, to: .sandbox)).verdict == .accepted)
        #expect(stand.production.book.account.requests == 1)
        try await stand.stop()
    }

    @Test func `a token of the other environment is found there`() async throws {
        var options = FakeAPNs.Options()
        options.answer = { _, _ in .reject(400, "BadDeviceToken") }
        let stand = try await APNsStand(options)
        let first = await stand.channel.send(try APNsStand.attempt(1))
        #expect(first.verdict == .otherEnvironment)
        let history = PushAttempt.History(triedOtherEnvironment: true)
        let second = await stand.channel.send(try APNsStand.attempt(1, to: .sandbox, history: history))
        #expect(second.verdict == .accepted)
        #expect(second.environment == .sandbox)
        // Where neither knows it, it is retired; where it worked before, the settings are wrong.
        #expect(
            await stand.channel.send(try APNsStand.attempt(2, history: history)).verdict
                == .retire(registeredBefore: APNsStand.start))
        let worked = PushAttempt.History(addressHasWorked: true)
        #expect(await stand.channel.send(try APNsStand.attempt(2, history: worked)).verdict == .misconfigured)
        try await stand.stop()
    }

    @Test func `every reason of APNs has the verdict of the table`() async throws {
        let reasons = APNsReason.allCases
        let clock = Locked(APNsStand.start)
        var options = FakeAPNs.Options()
        options.now = { clock.value.seconds }
        options.answer = { request, _ in
            let index = Int(request.path.suffix(2), radix: 16) ?? 0
            return .reject(400, reasons[index % reasons.count].rawValue, timestamp: 1_700_000_000_000)
        }
        let stand = try await APNsStand(options)
        for (index, reason) in reasons.enumerated() {
            // After a refused token, APNs takes a new one 20 minutes later.
            clock.change { $0 = $0.adding(seconds: 3000) }
            stand.uptime.change { $0 += 3000 }
            let report = await stand.channel.send(try APNsStand.attempt(0x1000 + index, now: clock.value))
            let body = #"{"reason":"\#(reason.rawValue)","timestamp":1700000000000}"#
            let expected = APNsAnswer(status: 400, body: Array(body.utf8))
                .outcome(of: APNsAnswer.Attempt(sent: clock.value))
            if expected.verdict == .renewToken {
                // The token is new, so another one would not help.
                #expect(report.verdict == .stop)
            } else {
                #expect(report.verdict == expected.verdict, "\(reason)")
            }
            #expect(report.said == reason.rawValue)
            stand.channel.resume()
        }
        try await stand.stop()
    }

    @Test func `a pause that APNs asks for is in the verdict`() async throws {
        var options = FakeAPNs.Options()
        options.answer = { _, _ in .reject(429, "TooManyRequests", retryAfter: "77") }
        let stand = try await APNsStand(options)
        #expect(await stand.channel.send(try APNsStand.attempt(1)).verdict == .retry(after: 77))
        try await stand.stop()
    }

    @Test(.slow) func `connections that go away lose nothing`() async throws {
        var options = FakeAPNs.Options()
        options.latency = 2
        options.answer = { _, number in number % 150 == 0 ? .goAway("Shutdown", closeAfter: 200) : .accept }
        let stand = try await APNsStand(options)
        for round in 0..<5 {
            #expect(try await stand.sendAll(round * 100..<(round + 1) * 100) == [.accepted: 100])
        }
        let account = stand.production.book.account
        #expect(account.acceptedIDs.count == 500)
        #expect(account.maxCold == 1)
        #expect(account.connections >= 3)
        try await stand.stop()
    }

    @Test(.slow) func `silence is found, and the next push goes over a new connection`() async throws {
        var options = FakeAPNs.Options()
        options.answer = { request, number in number == 30 && request.connection == 1 ? .silence : .accept }
        let stand = try await APNsStand(options) { $0.timeout = .seconds(1) }
        #expect(try await stand.sendAll(0..<29) == [.accepted: 29])
        let silent = await stand.channel.send(try APNsStand.attempt(30))
        #expect(silent.verdict == .retry(after: nil))
        #expect(silent.status == nil)
        #expect(silent.outcome.explanation.contains("no answer"))
        #expect(await stand.channel.send(try APNsStand.attempt(30)).verdict == .accepted)
        #expect(stand.production.book.account.connections == 2)
        #expect(APNsSettings(signer: try signer()).timeout < .seconds(10))
        try await stand.stop()
    }

    private func signer() throws -> APNsSigner {
        try APNsSigner(keyID: "ABC123DEFG", teamID: "TEAM123456", key: FakeAPNs.newKey())
    }

    @Test func `an APNs that is not there is tried again`() async throws {
        let stand = try await APNsStand()
        try await stand.production.stop()
        #expect(try await stand.sendAll(0..<200) == [.retry(after: nil): 200])
        #expect(stand.channel.state == .ready)
        await stand.channel.shutdown(within: .seconds(1))
        #expect(await stand.channel.send(try APNsStand.attempt(1)).verdict == .retry(after: nil))
        try await stand.sandbox.stop()
    }

    @Test(.slow) func `more pushes than the bound are told to come again`() async throws {
        var options = FakeAPNs.Options()
        // Long enough that all of them ask before the first place is free again, beside other work, too.
        options.latency = 3000
        let stand = try await APNsStand(options)
        let verdicts = try await stand.sendAll(0..<1000)
        #expect(verdicts == [.accepted: 300, .retry(after: 1): 700])
        try await stand.stop()
    }

    @Test func `limits are checked before a message is stored`() async throws {
        let stand = try await APNsStand()
        try stand.channel.check(try APNsStand.attempt(1))
        let large = try APNsStand.attempt(1) { $0.body = String(repeating: "x", count: 4090) }
        #expect(throws: PushFieldError.self) { try stand.channel.check(large) }
        #expect(await stand.channel.send(large).verdict == .refused)
        var foreign = try APNsStand.attempt(1)
        foreign.target = .stream(device: "phone")
        #expect(throws: PushFieldError.self) { try stand.channel.check(foreign) }
        #expect(await stand.channel.send(foreign).verdict == .misconfigured)
        #expect(stand.production.book.account.requests == 0)
        try await stand.stop()
    }
}

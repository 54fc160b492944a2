import Delivery
import Schedules
import TestSupport
import Testing

@testable import Push

struct PushStepTests {
    private static let now = Instant(seconds: 1_700_000_000)
    private static let past = now.adding(seconds: -1)
    private static let schedule = RetrySchedule(base: 1000, attempts: 5)

    struct Case: Sendable {
        var verdict: PushVerdict
        var attempt = 1
        var registered = past
        var expires: Instant?
        var step: PushStep
    }

    static let cases: [Case] = [
        Case(verdict: .accepted, expires: past, step: .delivered), Case(verdict: .refused, step: .dead(.refused)),
        Case(verdict: .misconfigured, step: .dead(.misconfigured)),
        Case(verdict: .stop, attempt: 99, step: .stopChannel),
        Case(verdict: .stop, expires: now, step: .dead(.expired)),
        Case(verdict: .retire(registeredBefore: now), step: .retireDevice),
        Case(verdict: .retire(registeredBefore: past), attempt: 5, step: .dead(.attemptsUsed)),
        Case(verdict: .retry(after: nil), attempt: 5, step: .dead(.attemptsUsed)),
        Case(verdict: .retry(after: 60), expires: now.adding(seconds: 60), step: .dead(.expired)),
        Case(verdict: .otherEnvironment, step: .againElsewhere),
        Case(verdict: .otherEnvironment, attempt: 5, step: .dead(.attemptsUsed)),
        Case(verdict: .otherEnvironment, expires: now, step: .dead(.expired)),
        Case(verdict: .renewToken, step: .againWithNewToken),
        Case(verdict: .renewToken, attempt: 5, step: .dead(.attemptsUsed)),
        Case(verdict: .renewToken, expires: now, step: .dead(.expired)),
    ]

    @Test(arguments: cases) func `each verdict has a step`(example: Case) {
        let progress = PushProgress(
            attempt: example.attempt, registered: example.registered, expires: example.expires, seed: 7)
        #expect(progress.step(after: example.verdict, now: Self.now, schedule: Self.schedule) == example.step)
    }

    @Test func `a device that registered again is tried again`() {
        let progress = PushProgress(attempt: 1, registered: Self.now, seed: 7)
        guard
            case .again(let instant) = progress.step(
                after: .retire(registeredBefore: Self.now), now: Self.now, schedule: Self.schedule)
        else {
            Issue.record("no retry")
            return
        }
        #expect(instant > Self.now)
    }

    @Test func `any row of verdicts comes to an end`() {
        var random = SeededGenerator(14)
        let verdicts: [PushVerdict] = [
            .retry(after: nil), .retry(after: 60), .otherEnvironment, .renewToken, .retire(registeredBefore: Self.past),
        ]
        for _ in 0..<500 {
            var (now, progress) = (Self.now, PushProgress(attempt: 1, registered: Self.now, seed: random.next()))
            while true {
                let verdict = verdicts.randomElement(using: &random) ?? .refused
                let step = progress.step(after: verdict, now: now, schedule: Self.schedule)
                if case .dead(let reason) = step {
                    #expect(reason == .attemptsUsed)
                    #expect(progress.attempt == 5)
                    break
                }
                if case .again(let instant) = step {
                    #expect(instant > now)
                    if case .retry(let seconds?) = verdict { #expect(instant.seconds - now.seconds >= seconds) }
                    now = instant
                }
                progress.attempt += 1
                guard progress.attempt < 10 else {
                    Issue.record("no end")
                    break
                }
            }
        }
    }
}

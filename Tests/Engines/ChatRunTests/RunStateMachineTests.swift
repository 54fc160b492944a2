import TestSupport
import Testing

@testable import ChatRun

struct RunStateMachineTests {
    private typealias Cell = (actions: [RunAction], phase: RunPhase)

    private static let inputs: [RunInput] = [
        .moved(place: 2), .admitted(searches: true), .admitted(searches: false), .searched, .waiting(place: 3), .sent,
        .thought,
        .wrote, .calledTools, .toolsFinished, .modelFinished, .textFull, .failed("disk"), .stop, .interrupt,
        .continueRun, .readers(0), .readers(2), .stored, .storeFailed, .tick,
    ]

    /// A machine that these inputs have come to, all at time 0.
    private func machine(_ inputs: [RunInput]) -> RunStateMachine {
        var machine = RunStateMachine(place: 3, at: .zero)
        for input in inputs { _ = machine.handle(input, at: .zero) }
        return machine
    }

    /// Feeds every input to a fresh machine. Those without a cell change nothing.
    private func check(
        _ way: [RunInput], _ phase: RunPhase, _ cells: [RunInput: Cell],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for input in Self.inputs {
            var machine = machine(way)
            #expect(machine.phase == phase, sourceLocation: sourceLocation)
            let actions = machine.handle(input, at: .zero)
            let wanted = cells[input] ?? ([], phase)
            #expect(actions == wanted.actions, "\(input)", sourceLocation: sourceLocation)
            #expect(machine.phase == wanted.phase, "\(input)", sourceLocation: sourceLocation)
        }
    }

    /// What ends every phase of a run that goes on.
    private func running(_ cells: [RunInput: Cell]) -> [RunInput: Cell] {
        let ends: [RunInput: RunOutcome] = [
            .textFull: .stopped(.length), .failed("disk"): .failed("disk"), .stop: .stopped(.asked),
            .interrupt: .interrupted,
        ]
        return ends.mapValues { ([.cancelWork, .store], .ended($0)) }.merging(cells) { $1 }
    }

    private func enter(_ phase: RunPhase, _ actions: RunAction...) -> Cell { ([.announce(phase)] + actions, phase) }

    private let noAnswer: Cell = (
        [.cancelWork, .store], .ended(.failed("the model gave no answer"))
    )
    private let done: Cell = ([.store], .ended(.done))

    @Test func `a run in the queue moves and is admitted`() {
        check(
            [], .queued(place: 3),
            running([
                .moved(place: 2): enter(.queued(place: 2)), .admitted(searches: true): enter(.searching, .search),
                .admitted(searches: false): enter(.loadingModel, .askModel(offersTools: true)),
            ]))
        check(
            [.moved(place: 2)], .queued(place: 2),
            running([
                .admitted(searches: true): enter(.searching, .search),
                .admitted(searches: false): enter(.loadingModel, .askModel(offersTools: true)),
            ]))
    }

    @Test func `a search is followed by the model`() {
        check(
            [.admitted(searches: true)], .searching,
            running([.searched: enter(.loadingModel, .askModel(offersTools: true))]))
    }

    @Test func `a model loads, thinks, answers or calls tools`() {
        let calls = enter(.toolRound(1), .runTools)
        check(
            [.admitted(searches: false)], .loadingModel,
            running([
                .waiting(place: 3): enter(.waiting(place: 3)), .thought: enter(.thinking),
                .wrote: enter(.answering, .appendText),
                .calledTools: calls, .modelFinished: noAnswer,
            ]))
        check(
            [.admitted(searches: false), .thought], .thinking,
            running([
                .waiting(place: 3): enter(.waiting(place: 3)), .wrote: enter(.answering, .appendText),
                .calledTools: calls, .modelFinished: noAnswer,
            ]))
        check(
            [.admitted(searches: false), .waiting(place: 2)], .waiting(place: 2),
            running([
                .waiting(place: 3): enter(.waiting(place: 3)), .sent: enter(.loadingModel), .thought: enter(.thinking),
                .wrote: enter(.answering, .appendText), .calledTools: calls, .modelFinished: noAnswer,
            ]))
        check(
            [.admitted(searches: false), .waiting(place: 3)], .waiting(place: 3),
            running([
                .sent: enter(.loadingModel), .thought: enter(.thinking), .wrote: enter(.answering, .appendText),
                .calledTools: calls, .modelFinished: noAnswer,
            ]))
        check(
            [.admitted(searches: false), .wrote], .answering,
            running([.wrote: ([.appendText], .answering), .calledTools: calls, .modelFinished: done]))
    }

    @Test func `tools are followed by the model, the last time without tools`() {
        var way: [RunInput] = [.admitted(searches: false)]
        for round in 1...3 {
            way.append(.calledTools)
            check(
                way, .toolRound(round),
                running([
                    .wrote: ([.appendText], .toolRound(round)),
                    .toolsFinished: enter(.thinking, .askModel(offersTools: round < 3)),
                ]))
            way.append(.toolsFinished)
        }
        let answer = enter(.answering, .appendText)
        check(
            way, .thinking,
            running([
                .waiting(place: 3): enter(.waiting(place: 3)), .wrote: answer, .calledTools: noAnswer,
                .modelFinished: noAnswer,
            ]))
        check(
            way + [.wrote], .answering,
            running([.wrote: ([.appendText], .answering), .calledTools: done, .modelFinished: done]))
    }

    @Test func `after the end only its store matters`() {
        let writing: [RunInput] = [.admitted(searches: false), .wrote]
        let ends: [(RunInput, RunOutcome)] = [
            (.modelFinished, .done), (.stop, .stopped(.asked)), (.textFull, .stopped(.length)),
            (.failed("cut"), .failed("cut")), (.interrupt, .interrupted),
        ]
        for (input, outcome) in ends {
            let phase = RunPhase.ended(outcome)
            check(
                writing + [input], phase,
                [
                    .stored: ([.finish(outcome, isStored: true), .release], phase),
                    .storeFailed: ([.finish(outcome, isStored: false)], phase),
                ])
            let isInterrupted = outcome == .interrupted
            check(
                writing + [input, .stored], phase,
                isInterrupted ? [.continueRun: enter(.queued(place: 1), .enqueue)] : [:])
        }
    }

    @Test func `a run of the process before goes on`() {
        for hasText in [true, false] {
            for input in Self.inputs where input != .continueRun {
                var machine = RunStateMachine(interruptedWithText: hasText)
                #expect(machine.handle(input, at: .zero).isEmpty)
                #expect(machine.phase == .ended(.interrupted))
            }
            var machine = RunStateMachine(interruptedWithText: hasText)
            #expect(
                machine.handle(.continueRun, at: .zero) == [.announce(.queued(place: 1)), .enqueue])
            _ = machine.handle(.admitted(searches: false), at: .zero)
            _ = machine.handle(.modelFinished, at: .zero)
            #expect(machine.outcome == (hasText ? .done : .failed("the model gave no answer")))
        }
    }

    // MARK: Time

    private func seconds(_ count: Double) -> Duration { .milliseconds(Int(count * 1000)) }

    @Test func `text is stored after a second at the latest, once at a time`() {
        var machine = RunStateMachine(place: 1, at: .zero)
        _ = machine.handle(.readers(1), at: .zero)
        #expect(machine.deadline == .seconds(1))
        _ = machine.handle(.admitted(searches: false), at: seconds(0.2))
        #expect(machine.handle(.wrote, at: seconds(0.5)) == [.announce(.answering), .appendText])
        #expect(machine.handle(.tick, at: seconds(0.9)) == [])
        #expect(machine.handle(.wrote, at: seconds(1.1)) == [.appendText, .store])
        #expect(machine.deadline == nil)
        #expect(machine.handle(.wrote, at: seconds(1.5)) == [.appendText])
        #expect(machine.handle(.wrote, at: seconds(3)) == [.appendText])
        // The store was slow: the next one is due at once.
        #expect(machine.handle(.stored, at: seconds(3)) == [.store])
        #expect(machine.handle(.stored, at: seconds(3.1)) == [])
        #expect(machine.deadline == nil)
        _ = machine.handle(.wrote, at: seconds(5))
        #expect(machine.deadline == .seconds(6))
        #expect(machine.handle(.tick, at: .seconds(6)) == [.store])
        #expect(machine.handle(.storeFailed, at: .seconds(7)) == [])
        #expect(machine.deadline == .seconds(8))
    }

    @Test func `the end waits for the store that runs, then for its own`() {
        var machine = machine([.readers(1), .admitted(searches: false), .wrote])
        #expect(machine.handle(.tick, at: .seconds(1)) == [.store])
        #expect(machine.handle(.modelFinished, at: .seconds(2)) == [])
        #expect(machine.handle(.stop, at: .seconds(2)) == [])
        #expect(machine.handle(.stored, at: .seconds(3)) == [.store])
        #expect(machine.handle(.stored, at: .seconds(4)) == [.finish(.done, isStored: true), .release])
        #expect(machine.deadline == nil)
    }

    @Test func `a store that fails at the end is tried again and then given up`() {
        var machine = machine([.readers(1), .admitted(searches: false), .wrote, .stop])
        #expect(machine.handle(.storeFailed, at: .zero) == [.finish(.stopped(.asked), isStored: false)])
        for attempt in 1..<60 {
            #expect(machine.deadline == .seconds(attempt))
            #expect(machine.handle(.tick, at: .seconds(attempt)) == [.store])
            let actions = machine.handle(.storeFailed, at: .seconds(attempt))
            #expect(actions == (attempt == 59 ? [.release] : []))
        }
        #expect(machine.deadline == nil)
    }

    @Test func `a run that nobody reads ends`() {
        var machine = RunStateMachine(place: 1, at: .zero)
        #expect(machine.handle(.tick, at: .seconds(1)) == [.store])
        _ = machine.handle(.stored, at: .seconds(1))
        #expect(machine.deadline == .seconds(600))
        _ = machine.handle(.readers(2), at: .seconds(599))
        #expect(machine.deadline == nil)
        #expect(machine.handle(.tick, at: .seconds(700)) == [])
        _ = machine.handle(.readers(0), at: .seconds(700))
        _ = machine.handle(.readers(0), at: .seconds(1000))
        #expect(machine.deadline == .seconds(1300))
        #expect(machine.handle(.tick, at: .seconds(1299)) == [])
        #expect(machine.handle(.tick, at: .seconds(1300)) == [.cancelWork, .store])
        #expect(machine.outcome == .stopped(.unread))
    }

    @Test func `no text waits longer than a second for its store, and the last store has all of it`() {
        var random = SeededGenerator(21)
        for _ in 0..<500 {
            var machine = machine([.readers(1), .admitted(searches: false)])
            var now = Duration.zero
            var unstored: Duration?
            for step in 0..<60 {
                let next = now + .milliseconds(Int.random(in: 0...700, using: &random))
                var events: [(RunInput, Duration)] = [(step == 59 ? .modelFinished : .wrote, next)]
                if let deadline = machine.deadline, deadline < next { events.insert((.tick, deadline), at: 0) }
                for (input, time) in events {
                    now = time
                    let actions = machine.handle(input, at: now)
                    if actions.contains(.appendText) { unstored = unstored ?? now }
                    guard actions.contains(.store) else { continue }
                    if let unstored { #expect(now - unstored <= .seconds(1)) }
                    unstored = nil
                    _ = machine.handle(.stored, at: now)
                }
            }
            #expect(unstored == nil && machine.outcome == .done && machine.deadline == nil)
        }
    }

    @Test func `any sequence ends once, stores one at a time and finishes before it is released`() {
        var random = SeededGenerator(11)
        for _ in 0..<1000 {
            var machine = RunStateMachine(place: 1, at: .zero)
            var now = Duration.zero
            var (isStoring, finishes, releases) = (false, 0, 0)
            var outcome: RunOutcome?
            for _ in 0..<60 {
                now += .milliseconds(Int.random(in: 0...900, using: &random))
                let input = Self.inputs.randomElement(using: &random) ?? .tick
                if input == .continueRun { continue }
                let wasRunning = machine.outcome == nil
                if input == .stored || input == .storeFailed { isStoring = false }
                for action in machine.handle(input, at: now) {
                    switch action {
                    case .store:
                        #expect(!isStoring)
                        isStoring = true
                    case .finish(let ended, _):
                        finishes += 1
                        #expect(ended == machine.outcome)
                    case .release: releases += 1
                    case .appendText, .askModel, .runTools, .search, .enqueue, .announce: #expect(wasRunning)
                    case .cancelWork: #expect(wasRunning && machine.outcome != nil)
                    }
                }
                if let outcome { #expect(machine.outcome == outcome) }
                outcome = machine.outcome
                #expect(finishes <= 1 && releases <= finishes)
            }
        }
    }
}

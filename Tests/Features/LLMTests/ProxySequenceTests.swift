import TestSupport
import Testing

@testable import LLM

/// Random events in random order: what must never happen, does not.
@Suite struct ProxySequences {
    /// A request whose resources are counted as its exchange would hold them.
    struct Request {
        var machine: ProxyStateMachine
        var heads = 0
        var ends = 0
        var charges = 0
        var places = 0
        var endpoints = 0
        var mostEndpoints = 0

        mutating func send(_ event: ProxyEvent) {
            let (before, wasOver) = (machine, machine.hasEnded)
            let outcome = event.send(to: &machine)
            switch (event, outcome) {
            case (.placeGranted, .wanted(true)): places += 1
            case (.headCame, .wanted(true)): heads += 1
            case (.bytesCame, .wanted(let isWanted)):
                #expect(!isWanted || (heads == 1 && ends == 0), "bytes without a head, or after the end")
            case (_, .endpoint(.send(let replacing))), (_, .endpoint(.load(let replacing))):
                #expect(replacing == (endpoints == 1))
                endpoints += replacing ? 0 : 1
            case (_, .ending(let ending?)): take(ending, before)
            default: break
            }
            mostEndpoints = max(mostEndpoints, endpoints)
            guard wasOver else { return }
            #expect(outcome == event.ignored, "\(event) does something after the end")
            #expect(machine.phase == before.phase)
        }

        private mutating func take(_ ending: ProxyStateMachine.Ending, _ before: ProxyStateMachine) {
            ends += 1
            switch ending.kind {
            case .respond: heads += 1
            case .complete where heads == 0: heads += 1
            case .breakOff: #expect(heads == 1)
            case .complete, .abandon: break
            }
            #expect(ending.releasesPlace == (places == 1))
            #expect(ending.releasesEndpoint == (endpoints == 1))
            if ending.releasesPlace { places -= 1 }
            if ending.releasesEndpoint { endpoints -= 1 }
            if ending.charge != .nothing {
                charges += 1
                #expect(before.route == .inference && before.phase != .queued)
            }
            let answered = before.phase == .answering || before.phase == .stalled
            #expect((ending.charge == .answer) == (before.route == .inference && answered))
        }
    }

    @Test(arguments: ProxyStateMachine.Route.allCases, 0..<20)
    func `one head, one end, and everything is let go of once`(route: ProxyStateMachine.Route, seed: Int) {
        var random = SeededGenerator(UInt64(seed))
        var answered = 0
        for _ in 0..<200 {
            var request = Request(machine: ProxyStateMachine(route, expectsContinue: .random(using: &random)))
            for _ in 0..<60 {
                guard let event = ProxyEvent.allCases.randomElement(using: &random) else { return }
                // Most requests would fail before they come anywhere.
                let isEnd = event == .failed || event == .clientLeft
                if isEnd, Int.random(in: 0..<8, using: &random) > 0 { continue }
                request.send(event)
            }
            if request.ends == 0 { request.send(.clientLeft) }
            #expect(request.ends == 1)
            #expect(request.heads <= 1)
            #expect(request.charges <= 1)
            #expect(request.mostEndpoints <= 1)
            #expect(request.places == 0 && request.endpoints == 0)
            if request.charges == 1 { answered += 1 }
        }
        #expect(route != .inference || answered > 0, "no sequence came to an upstream")
    }

    @Test(arguments: ProxyStateMachine.Route.allCases)
    func `a request that is let through comes to an answer`(route: ProxyStateMachine.Route) {
        var request = Request(machine: ProxyStateMachine(route, expectsContinue: false))
        var events: [ProxyEvent] = [.bodyCame, .identified, .bodyEnded, .modelResolved]
        if route == .inference { events.append(.placeGranted) }
        for event in events + [.endpointTaken, .headCame, .bytesCame, .answerEnded] { request.send(event) }
        #expect(request.machine.phase == .ended)
        #expect((request.heads, request.ends) == (1, 1))
        #expect(request.charges == (route == .inference ? 1 : 0))
    }
}

import Testing

@testable import LLM

/// Every phase of a proxied request, with every event.
@Suite struct ProxyStateMachines {
    typealias Outcome = ProxyEvent.Outcome
    typealias Phase = ProxyStateMachine.Phase
    typealias Ending = ProxyStateMachine.Ending

    /// A situation: how a request comes there, and what each event does there. What is not listed is ignored.
    struct Situation: CustomTestStringConvertible, Sendable {
        var name: String
        var phase: Phase
        var route: ProxyStateMachine.Route
        var expectsContinue = false
        var path: [ProxyEvent]
        var table: [ProxyEvent: (outcome: Outcome, next: Phase)]

        var testDescription: String { "\(route) \(name)" }
    }

    static func ending(
        _ kind: Ending.Kind, _ charge: Ending.Charge = .nothing, place: Bool = false, endpoint: Bool = false
    ) -> Outcome {
        .ending(Ending(kind: kind, charge: charge, releasesPlace: place, releasesEndpoint: endpoint))
    }

    /// A failure and a departure, before the response has begun.
    static func ends(
        onDeparture charge: Ending.Charge = .nothing, place: Bool = false, endpoint: Bool = false,
        _ table: [ProxyEvent: (Outcome, Phase)]
    ) -> [ProxyEvent: (outcome: Outcome, next: Phase)] {
        var table = table
        table[.failed] = (ending(.respond, place: place, endpoint: endpoint), .failed)
        table[.clientLeft] = (ending(.abandon, charge, place: place, endpoint: endpoint), .failed)
        return table.mapValues { (outcome: $0.0, next: $0.1) }
    }

    /// The end, a failure and a departure, once the response has begun.
    static func answering(
        _ charge: Ending.Charge, place: Bool, _ table: [ProxyEvent: (Outcome, Phase)]
    ) -> [ProxyEvent: (outcome: Outcome, next: Phase)] {
        var table = table
        table[.answerEnded] = (ending(.complete, charge, place: place, endpoint: true), .ended)
        table[.failed] = (ending(.breakOff, charge, place: place, endpoint: true), .failed)
        table[.clientLeft] = (ending(.abandon, charge, place: place, endpoint: true), .failed)
        return table.mapValues { (outcome: $0.0, next: $0.1) }
    }

    static let toQueue: [ProxyEvent] = [.identified, .bodyEnded, .modelResolved]
    static let toAnswer: [ProxyEvent] = toQueue + [.placeGranted, .endpointTaken, .headCame]
    static let toUpload: [ProxyEvent] = [.identified, .bodyFull, .modelResolved]

    static let situations: [Situation] = inference + administration + catalogue

    static let inference: [Situation] = [
        Situation(
            name: "identifying", phase: .identifying, route: .inference, path: [],
            table: ends([
                .identified: (.action(.none), .collecting), .identifiedFull: (.action(.resolveModel), .collecting),
                .bodyCame: (.body(.collect), .identifying), .bodyFull: (.action(.holdBack), .identifying),
                .bodyEnded: (.action(.none), .identifying), .bodyEndedUnstored: (.action(.none), .identifying),
            ])),
        Situation(
            name: "identifying, the client waits to be told", phase: .identifying, route: .inference,
            expectsContinue: true, path: [],
            table: ends([
                .identified: (.action(.sendContinue), .collecting),
                .identifiedFull: (.action(.resolveModel), .collecting),
                .bodyCame: (.body(.collect), .identifying), .bodyFull: (.action(.holdBack), .identifying),
            ])),
        Situation(
            name: "identifying, the client did not wait", phase: .identifying, route: .inference,
            expectsContinue: true, path: [.bodyCame],
            table: ends([
                .identified: (.action(.none), .collecting), .identifiedFull: (.action(.resolveModel), .collecting),
                .bodyCame: (.body(.collect), .identifying), .bodyFull: (.action(.holdBack), .identifying),
            ])),
        Situation(
            name: "identifying, held back", phase: .identifying, route: .inference, path: [.bodyCame, .bodyFull],
            table: ends([
                .identified: (.action(.resume), .collecting), .identifiedFull: (.action(.resolveModel), .collecting),
                .bodyCame: (.body(.collect), .identifying), .bodyFull: (.action(.holdBack), .identifying),
                .bodyResumed: (.action(.resume), .identifying),
            ])),
        Situation(
            name: "identifying, the body is whole", phase: .identifying, route: .inference, path: [.bodyEnded],
            table: ends([
                .identified: (.action(.resolveModel), .collecting),
                .identifiedFull: (.action(.resolveModel), .collecting), .bodyCame: (.body(.collect), .identifying),
            ])),
        Situation(
            name: "collecting", phase: .collecting, route: .inference, path: [.identified],
            table: ends([
                .bodyCame: (.body(.collect), .collecting), .bodyFull: (.action(.resolveModel), .collecting),
                .bodyEnded: (.action(.resolveModel), .collecting),
                .bodyEndedUnstored: (.action(.resolveModel), .collecting),
                .modelResolved: (.action(.openSpool), .spooling), .modelListed: (.action(.makeList), .listing),
            ])),
        Situation(
            name: "collecting, held back", phase: .collecting, route: .inference, path: [.bodyFull, .identifiedFull],
            table: ends([
                .bodyCame: (.body(.collect), .collecting), .bodyFull: (.action(.resolveModel), .collecting),
                .bodyEnded: (.action(.resolveModel), .collecting),
                .bodyEndedUnstored: (.action(.resolveModel), .collecting),
                .modelNeedsMore: (.action(.resume), .collecting), .bodyResumed: (.action(.resume), .collecting),
                .modelResolved: (.action(.openSpool), .spooling), .modelListed: (.action(.makeList), .listing),
            ])),
        Situation(
            name: "collecting, the body is whole", phase: .collecting, route: .inference,
            path: [.identified, .bodyEnded],
            table: ends([
                .bodyCame: (.body(.collect), .collecting), .modelResolved: (.action(.acquirePlace), .queued),
                .modelListed: (.action(.makeList), .listing),
            ])),
        Situation(
            name: "spooling", phase: .spooling, route: .inference, path: [.identified, .bodyFull, .modelResolved],
            table: ends([
                .bodyCame: (.body(.spool), .spooling), .bodyHeldBack: (.action(.holdBack), .spooling),
                .bodyEnded: (.action(.acquirePlace), .queued), .bodyEndedUnstored: (.action(.none), .spooling),
            ])),
        Situation(
            name: "spooling, held back", phase: .spooling, route: .inference,
            path: [.identified, .bodyFull, .modelResolved, .bodyHeldBack],
            table: ends([
                .bodyCame: (.body(.spool), .spooling), .bodyResumed: (.action(.resume), .spooling),
                .bodyEnded: (.action(.acquirePlace), .queued), .bodyEndedUnstored: (.action(.none), .spooling),
            ])),
        Situation(
            name: "spooling, the body is whole", phase: .spooling, route: .inference,
            path: [.identified, .bodyFull, .modelResolved, .bodyEndedUnstored],
            table: ends([
                .bodyCame: (.body(.spool), .spooling), .bodyHeldBack: (.action(.holdBack), .spooling),
                .bodyStored: (.action(.acquirePlace), .queued),
            ])),
        Situation(
            name: "queued", phase: .queued, route: .inference, path: toQueue,
            table: ends([.placeGranted: (.wanted(true), .choosing)])),
        Situation(
            name: "choosing", phase: .choosing, route: .inference, path: toQueue + [.placeGranted],
            table: ends(
                place: true,
                [
                    .endpointTaken: (.endpoint(.send(replacing: false)), .sent),
                    .coldEndpointTaken: (.endpoint(.load(replacing: false)), .loading),
                ])),
        Situation(
            name: "loading", phase: .loading, route: .inference,
            path: toQueue + [.placeGranted, .coldEndpointTaken],
            table: ends(
                onDeparture: .prompt, place: true, endpoint: true, [.modelLoaded: (.action(.send), .sent)])),
        Situation(
            name: "sent", phase: .sent, route: .inference, path: toQueue + [.placeGranted, .endpointTaken],
            table: ends(
                onDeparture: .prompt, place: true, endpoint: true,
                [
                    .headCame: (.wanted(true), .answering),
                    .endpointTaken: (.endpoint(.send(replacing: true)), .sent),
                    .coldEndpointTaken: (.endpoint(.load(replacing: true)), .loading),
                ])),
        Situation(
            name: "answering", phase: .answering, route: .inference, path: toAnswer,
            table: answering(
                .answer, place: true,
                [.bytesCame: (.wanted(true), .answering), .clientFull: (.nothing, .stalled)])),
        Situation(
            name: "stalled", phase: .stalled, route: .inference, path: toAnswer + [.clientFull],
            table: answering(
                .answer, place: true,
                [.bytesCame: (.wanted(true), .stalled), .clientReady: (.action(.pump), .answering)])),
        Situation(name: "ended", phase: .ended, route: .inference, path: toAnswer + [.answerEnded], table: [:]),
        Situation(name: "failed", phase: .failed, route: .inference, path: toQueue + [.failed], table: [:]),
        Situation(
            name: "failed, the body comes", phase: .failed, route: .inference, path: [.identified, .failed], table: [:]),
        Situation(name: "left", phase: .failed, route: .inference, path: toAnswer + [.clientLeft], table: [:]),
    ]

    static let administration: [Situation] = [
        Situation(
            name: "collecting", phase: .collecting, route: .administration, path: [.identified],
            table: ends([
                .bodyCame: (.body(.collect), .collecting), .bodyFull: (.action(.resolveModel), .collecting),
                .bodyEnded: (.action(.resolveModel), .collecting),
                .bodyEndedUnstored: (.action(.resolveModel), .collecting),
                .modelResolved: (.action(.chooseEndpoint), .choosing), .modelListed: (.action(.makeList), .listing),
            ])),
        Situation(
            name: "choosing, uploads", phase: .choosing, route: .administration, path: toUpload,
            table: ends([
                .bodyCame: (.body(.upload), .choosing), .bodyHeldBack: (.action(.holdBack), .choosing),
                .bodyEnded: (.action(.finishUpload), .choosing),
                .bodyEndedUnstored: (.action(.finishUpload), .choosing),
                .endpointTaken: (.endpoint(.send(replacing: false)), .sent),
                .coldEndpointTaken: (.endpoint(.load(replacing: false)), .loading),
            ])),
        Situation(
            name: "sent, uploads", phase: .sent, route: .administration, path: toUpload + [.endpointTaken],
            table: ends(
                endpoint: true,
                [
                    .bodyCame: (.body(.upload), .sent), .bodyHeldBack: (.action(.holdBack), .sent),
                    .bodyEnded: (.action(.finishUpload), .sent),
                    .bodyEndedUnstored: (.action(.finishUpload), .sent), .headCame: (.wanted(true), .answering),
                    .endpointTaken: (.endpoint(.send(replacing: true)), .sent),
                    .coldEndpointTaken: (.endpoint(.load(replacing: true)), .loading),
                ])),
        Situation(
            name: "sent, the upload is full", phase: .sent, route: .administration,
            path: toUpload + [.endpointTaken, .bodyHeldBack],
            table: ends(
                endpoint: true,
                [
                    .bodyCame: (.body(.upload), .sent), .bodyResumed: (.action(.resume), .sent),
                    .bodyEnded: (.action(.finishUpload), .sent),
                    .bodyEndedUnstored: (.action(.finishUpload), .sent), .headCame: (.wanted(true), .answering),
                    .endpointTaken: (.endpoint(.send(replacing: true)), .sent),
                    .coldEndpointTaken: (.endpoint(.load(replacing: true)), .loading),
                ])),
        Situation(
            name: "answering, uploads", phase: .answering, route: .administration,
            path: toUpload + [.endpointTaken, .headCame],
            table: answering(
                .nothing, place: false,
                [
                    .bodyCame: (.body(.upload), .answering), .bodyHeldBack: (.action(.holdBack), .answering),
                    .bodyEnded: (.action(.finishUpload), .answering),
                    .bodyEndedUnstored: (.action(.finishUpload), .answering),
                    .bytesCame: (.wanted(true), .answering), .clientFull: (.nothing, .stalled),
                ])),
        Situation(
            name: "answering", phase: .answering, route: .administration,
            path: [.identified, .bodyEnded, .modelResolved, .endpointTaken, .headCame],
            table: answering(
                .nothing, place: false,
                [.bytesCame: (.wanted(true), .answering), .clientFull: (.nothing, .stalled)])),
        Situation(
            name: "ended, the upload comes", phase: .ended, route: .administration,
            path: toUpload + [.endpointTaken, .headCame, .answerEnded], table: [:]),
    ]

    static let catalogue: [Situation] = [
        Situation(
            name: "collecting", phase: .collecting, route: .catalogue, path: [.identified],
            table: ends([
                .bodyCame: (.body(.collect), .collecting), .bodyFull: (.action(.holdBack), .collecting),
                .bodyEnded: (.action(.resolveModel), .collecting),
                .bodyEndedUnstored: (.action(.resolveModel), .collecting),
                .modelListed: (.action(.makeList), .listing),
            ])),
        Situation(
            name: "collecting, the body is whole", phase: .collecting, route: .catalogue,
            path: [.identified, .bodyEnded],
            table: ends([
                .bodyCame: (.body(.collect), .collecting), .modelResolved: (.action(.chooseEndpoint), .choosing),
                .modelListed: (.action(.makeList), .listing),
            ])),
        Situation(
            name: "listing", phase: .listing, route: .catalogue, path: [.identified, .bodyEnded, .modelListed],
            table: ends([.listMade: (ending(.complete), .ended)])),
        Situation(
            name: "sent", phase: .sent, route: .catalogue,
            path: [.identified, .bodyEnded, .modelResolved, .endpointTaken],
            table: ends(
                endpoint: true,
                [
                    .headCame: (.wanted(true), .answering),
                    .endpointTaken: (.endpoint(.send(replacing: true)), .sent),
                    .coldEndpointTaken: (.endpoint(.load(replacing: true)), .loading),
                ])),
        Situation(
            name: "ended", phase: .ended, route: .catalogue,
            path: [.identified, .bodyEnded, .modelListed, .listMade], table: [:]),
    ]

    static func machine(in situation: Situation) -> ProxyStateMachine {
        var machine = ProxyStateMachine(situation.route, expectsContinue: situation.expectsContinue)
        for event in situation.path { _ = event.send(to: &machine) }
        return machine
    }

    @Test func `a request is handed over once its body is complete, and nothing of it happens here afterwards`() {
        var machine = ProxyStateMachine(.inference, expectsContinue: false)
        let early = machine.handedOver()
        _ = machine.identified(isFull: false)
        let partly = machine.handedOver()
        #expect(!early && !partly && machine.phase == .collecting)
        #expect(machine.bodyEnded(isStored: true) == .resolveModel)
        let whole = machine.handedOver()
        let again = machine.handedOver()
        #expect(whole && !again && machine.hasEnded && !machine.responseBegan)
        let resolved = machine.modelResolved()
        let failed = machine.failed()
        let left = machine.clientLeft()
        let (place, body) = (machine.placeGranted(), machine.bodyCame())
        #expect(resolved == .none && failed == nil && left == nil && !place && body == .drop)
    }

    @Test(arguments: situations)
    func `each event does what the table says, and nothing where it says nothing`(situation: Situation) {
        let start = Self.machine(in: situation)
        #expect(start.phase == situation.phase)
        for event in ProxyEvent.allCases {
            var machine = start
            let outcome = event.send(to: &machine)
            let isBodyEnd = event == .bodyEnded || event == .bodyEndedUnstored
            let expected = situation.table[event] ?? (outcome: event.ignored, next: situation.phase)
            #expect(outcome == expected.outcome, "\(event)")
            #expect(machine.phase == expected.next, "\(event)")
            #expect(machine.requestEnded == (start.requestEnded || isBodyEnd), "\(event)")
        }
    }

    @Test func `the table has every phase`() {
        #expect(Set(Self.situations.map(\.phase)) == Set(Phase.allCases))
    }

    @Test func `a client that was never told to send its body is owed that, and no other is`() {
        var machine = ProxyStateMachine(.inference, expectsContinue: true)
        #expect(machine.owesContinue)
        #expect(machine.identified(isFull: false) == .sendContinue)
        #expect(!machine.owesContinue)
        machine = ProxyStateMachine(.inference, expectsContinue: true)
        _ = machine.failed()
        #expect(machine.owesContinue)
        _ = machine.bodyEnded(isStored: true)
        #expect(!machine.owesContinue)
        #expect(!ProxyStateMachine(.inference, expectsContinue: false).owesContinue)
    }

    @Test func `an error that answers is a response that has begun`() {
        var machine = ProxyStateMachine(.inference, expectsContinue: false)
        #expect(!machine.responseBegan)
        #expect(machine.failed()?.kind == .respond)
        #expect(machine.responseBegan)
        #expect(machine.failed() == nil)
        machine = ProxyStateMachine(.inference, expectsContinue: false)
        _ = machine.clientLeft()
        #expect(!machine.responseBegan)
    }
}

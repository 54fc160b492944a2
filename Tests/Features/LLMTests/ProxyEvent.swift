@testable import LLM

/// Every event of a ``ProxyStateMachine``, with each value that it can bring.
enum ProxyEvent: String, Hashable, CaseIterable {
    case identified, identifiedFull
    case bodyCame, bodyFull, bodyEnded, bodyEndedUnstored, bodyStored, bodyHeldBack, bodyResumed
    case modelNeedsMore, modelResolved, modelListed
    case placeGranted, endpointTaken, coldEndpointTaken, modelLoaded
    case headCame, bytesCame, answerEnded, listMade
    case clientFull, clientReady, clientLeft, failed

    /// What an event returned.
    enum Outcome: Hashable {
        case action(ProxyStateMachine.Action)
        case body(ProxyStateMachine.BodyAction)
        case endpoint(ProxyStateMachine.EndpointAction)
        case wanted(Bool)
        case ending(ProxyStateMachine.Ending?)
        case nothing
    }

    func send(to machine: inout ProxyStateMachine) -> Outcome {
        switch self {
        case .identified: .action(machine.identified(isFull: false))
        case .identifiedFull: .action(machine.identified(isFull: true))
        case .bodyCame: .body(machine.bodyCame())
        case .bodyFull: .action(machine.bodyFull())
        case .bodyEnded: .action(machine.bodyEnded(isStored: true))
        case .bodyEndedUnstored: .action(machine.bodyEnded(isStored: false))
        case .bodyStored: .action(machine.bodyStored())
        case .bodyHeldBack: .action(machine.bodyHeldBack())
        case .bodyResumed: .action(machine.bodyResumed())
        case .modelNeedsMore: .action(machine.modelNeedsMore())
        case .modelResolved: .action(machine.modelResolved())
        case .modelListed: .action(machine.modelResolved(isListed: true))
        case .placeGranted: .wanted(machine.placeGranted())
        case .endpointTaken: .endpoint(machine.endpointTaken(loads: false))
        case .coldEndpointTaken: .endpoint(machine.endpointTaken(loads: true))
        case .modelLoaded: .action(machine.modelLoaded())
        case .headCame: .wanted(machine.headCame())
        case .bytesCame: .wanted(machine.bytesCame())
        case .answerEnded: .ending(machine.answerEnded())
        case .listMade: .ending(machine.listMade())
        case .clientFull:
            {
                machine.clientFull()
                return .nothing
            }()
        case .clientReady: .action(machine.clientReady())
        case .clientLeft: .ending(machine.clientLeft())
        case .failed: .ending(machine.failed())
        }
    }

    /// What the event returns when it comes at a wrong time, and changes nothing.
    var ignored: Outcome {
        switch self {
        case .bodyCame: .body(.drop)
        case .endpointTaken, .coldEndpointTaken: .endpoint(.giveBack)
        case .placeGranted, .headCame, .bytesCame: .wanted(false)
        case .answerEnded, .listMade, .clientLeft, .failed: .ending(nil)
        case .clientFull: .nothing
        default: .action(.none)
        }
    }
}

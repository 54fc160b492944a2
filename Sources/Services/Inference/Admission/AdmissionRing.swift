/// The requests of one priority that wait: in order within an identity, in turns among identities.
///
/// Grants go in rounds: in a round each identity gets at most one, and an identity that comes while a round runs still
/// joins it unless it has had its grant. So somebody new waits for one grant at most behind any flood, and nobody who
/// waits is passed twice by the same identity. A round takes in ``newcomerLimit`` newcomers at most, so that an endless
/// stream of new identities starves nobody either.
///
/// Pure. Adding and taking cost a constant time, removing grows with the identities that wait.
struct AdmissionRing {
    /// Identities that may join a round after its begin.
    static let newcomerLimit = 1024

    private struct Line {
        /// Requests in order; those that were removed stay in until it is compacted.
        var requests: [UInt64] = []
        var head = 0
        var live = 0
    }

    private var lines: [String: Line] = [:]
    private var live: Set<UInt64> = []
    /// Identities that wait for their turn in this round, first come first; `turnHead` have been taken.
    private var turns: [String] = []
    private var turnHead = 0
    /// Identities that wait and have had their turn in this round.
    private var later: [String] = []
    /// Identities that have had a grant in this round, whether they wait or not.
    private var served: Set<String> = []
    private var newcomers = 0

    /// Requests that wait.
    var count: Int { live.count }
    /// Identities that wait.
    var identities: Int { lines.count }
    /// Requests of an identity that wait.
    func count(of identity: String) -> Int { lines[identity]?.live ?? 0 }

    /// How many requests would be granted up to a new one of an identity, itself counted, if nobody else came.
    func position(ofNext identity: String) -> Int {
        let own = count(of: identity) + 1
        return lines.reduce(own) { $1.key == identity ? $0 : $0 + min($1.value.live, own) }
    }

    /// A request begins to wait.
    mutating func append(_ request: UInt64, of identity: String) {
        live.insert(request)
        if lines[identity] == nil {
            lines[identity] = Line()
            if served.contains(identity) || newcomers >= Self.newcomerLimit {
                later.append(identity)
            } else {
                newcomers += 1
                turns.append(identity)
            }
        }
        lines[identity]?.requests.append(request)
        lines[identity]?.live += 1
    }

    /// Takes the request whose turn it is; nil when none waits.
    mutating func popFirst() -> (request: UInt64, identity: String)? {
        guard count > 0 else { return nil }
        if turnHead == turns.count { beginRound() }
        guard turnHead < turns.count else { return nil }
        let identity = turns[turnHead]
        turnHead += 1
        if turnHead > 64, turnHead * 2 > turns.count {
            turns.removeFirst(turnHead)
            turnHead = 0
        }
        // Taken out, so that its array is changed in place.
        guard var line = lines.removeValue(forKey: identity) else { return nil }
        while !live.contains(line.requests[line.head]) { line.head += 1 }
        let request = line.requests[line.head]
        line.head += 1
        line.live -= 1
        live.remove(request)
        served.insert(identity)
        if line.live > 0 {
            compact(&line)
            lines[identity] = line
            later.append(identity)
        }
        return (request, identity)
    }

    /// A request was let in at once, because nobody waits; it counts as its identity's turn.
    mutating func passed(_ identity: String) {
        if lines.isEmpty { beginRound() }
        served.insert(identity)
    }

    /// A request no longer waits.
    ///
    /// - Returns: Whether it did.
    mutating func remove(_ request: UInt64, of identity: String) -> Bool {
        guard live.remove(request) != nil, var line = lines.removeValue(forKey: identity) else { return false }
        line.live -= 1
        if line.live == 0 {
            turns.removeFirst(turnHead)
            turnHead = 0
            turns.removeAll { $0 == identity }
            later.removeAll { $0 == identity }
        } else {
            compact(&line)
            lines[identity] = line
        }
        return true
    }

    /// Drops what was taken or removed once it is the larger part.
    private func compact(_ line: inout Line) {
        guard line.requests.count > 2 * line.live + 32 else { return }
        line.requests = line.requests[line.head...].filter(live.contains)
        line.head = 0
    }

    private mutating func beginRound() {
        turns = later
        turnHead = 0
        later = []
        served = []
        newcomers = 0
    }
}

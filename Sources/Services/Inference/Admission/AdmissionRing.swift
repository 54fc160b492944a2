/// A round-robin queue of the waiting requests of one priority: first in, first out within an identity.
///
/// Grants go in rounds, and each identity gets at most one grant per round. An identity that arrives during a round
/// joins it, unless it had its grant already. A newcomer therefore waits for at most one grant of any other identity,
/// and no identity overtakes a waiting one twice. A round admits at most ``newcomerLimit`` newcomers, so that an
/// endless stream of new identities starves nobody.
///
/// Pure. Adding and taking are O(1); removing is O(waiting identities).
struct AdmissionRing {
    /// The maximum number of identities that may join a running round.
    static let newcomerLimit = 1024

    private struct Line {
        /// The requests in order; removed ones stay until the line is compacted.
        var requests: [UInt64] = []
        var head = 0
        var live = 0
    }

    private var lines: [String: Line] = [:]
    private var live: Set<UInt64> = []
    /// Identities with a turn in this round, in order; the first `turnHead` had theirs.
    private var turns: [String] = []
    private var turnHead = 0
    /// Waiting identities whose next turn is in the next round.
    private var later: [String] = []
    /// Identities that had a grant in this round, waiting or not.
    private var served: Set<String> = []
    private var newcomers = 0

    /// The number of waiting requests.
    var count: Int { live.count }
    /// The number of identities with waiting requests.
    var identities: Int { lines.count }
    /// The number of an identity's waiting requests.
    func count(of identity: String) -> Int { lines[identity]?.live ?? 0 }

    /// The position of a new request of an identity, counted from 1, if no other request arrives.
    func position(ofNext identity: String) -> Int {
        let own = count(of: identity) + 1
        return lines.reduce(own) { $1.key == identity ? $0 : $0 + min($1.value.live, own) }
    }

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

    /// Takes the next request; nil when none waits.
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
        // Removed from the dictionary, so that its array is changed in place.
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

    /// Records an immediate grant as its identity's turn.
    mutating func passed(_ identity: String) {
        if lines.isEmpty { beginRound() }
        served.insert(identity)
    }

    /// Removes a request.
    ///
    /// - Returns: Whether the request was waiting.
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

    /// Drops taken and removed requests once they are the larger part.
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

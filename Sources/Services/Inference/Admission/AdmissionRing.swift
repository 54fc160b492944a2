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
        /// How often a request of others went before this line's next one, out of turn.
        var passed = 0
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

    /// Takes the next request that satisfies a condition; nil when none does. An identity whose requests do not keeps its turn.
    mutating func popFirst(where isWanted: (UInt64) -> Bool = { _ in true }) -> (request: UInt64, identity: String)? {
        guard let identity = next() else { return nil }
        guard let found = take(of: identity, where: isWanted) else { return popLater(where: isWanted) }
        turnHead += 1
        if turnHead > 64, turnHead * 2 > turns.count {
            turns.removeFirst(turnHead)
            turnHead = 0
        }
        return found
    }

    /// The next request that satisfies a condition; nil when none does.
    mutating func first(where isWanted: (UInt64) -> Bool) -> UInt64? {
        guard next() != nil else { return nil }
        func first(of identity: String) -> UInt64? {
            guard let line = lines[identity] else { return nil }
            return line.requests[line.head...].first { live.contains($0) && isWanted($0) }
        }
        for identity in turns[turnHead...] { if let found = first(of: identity) { return found } }
        for identity in later { if let found = first(of: identity) { return found } }
        return nil
    }

    /// Takes the first request that satisfies a condition, out of turn, in the order of turns; nil when none does, or when a waiting
    /// identity has been passed over `most` times since its last request was taken.
    mutating func popFirst(
        passing most: Int, where isWanted: (UInt64) -> Bool
    ) -> (request: UInt64, identity: String)? {
        guard next() != nil, lines.values.allSatisfy({ $0.passed < most }),
            let found = popLater(where: isWanted)
        else { return nil }
        for other in lines.keys where other != found.identity { lines[other]?.passed += 1 }
        return found
    }

    /// Takes the first request that satisfies a condition, in the order of turns, though it may be the turn of others.
    private mutating func popLater(where isWanted: (UInt64) -> Bool) -> (request: UInt64, identity: String)? {
        for identity in turns[turnHead...] + later {
            guard let found = take(of: identity, where: isWanted) else { continue }
            if let place = turns[turnHead...].firstIndex(of: identity) {
                turns.remove(at: place)
            } else if let place = later.firstIndex(of: identity) {
                // With more requests it stands behind the others now, too.
                later.remove(at: place)
            }
            return found
        }
        return nil
    }

    /// The identity whose turn it is; nil when none waits.
    private mutating func next() -> String? {
        guard count > 0 else { return nil }
        if turnHead == turns.count { beginRound() }
        return turnHead < turns.count ? turns[turnHead] : nil
    }

    /// Takes an identity's first request that satisfies a condition, and ends its turn.
    private mutating func take(
        of identity: String, where isWanted: (UInt64) -> Bool
    ) -> (request: UInt64, identity: String)? {
        guard let found = lines[identity],
            let place = found.requests[found.head...].firstIndex(where: { live.contains($0) && isWanted($0) }),
            var line = lines.removeValue(forKey: identity)
        else { return nil }
        let request = line.requests[place]
        live.remove(request)
        while line.head < line.requests.count, !live.contains(line.requests[line.head]) { line.head += 1 }
        line.live -= 1
        line.passed = 0
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

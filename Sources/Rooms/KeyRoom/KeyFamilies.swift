import Database
import GatewayAPI

/// Which key made which, and what follows for a key's rights.
///
/// A key that was made by another one has at most the rights that its maker has now, and ends with it.
package struct KeyFamilies: Sendable {
    /// The largest number of living keys that a key and the keys it made have made by pairing.
    package static let maxChildren = 20

    private let records: [Int64: KeyRecord]
    private let children: [Int64: [Int64]]

    /// - Parameter records: All keys, revoked keys included.
    package init(_ records: [KeyRecord]) {
        self.records = Dictionary(records.map { ($0.id, $0) }) { first, _ in first }
        children = Dictionary(grouping: records.filter { $0.parent != nil }) { $0.parent ?? 0 }.mapValues {
            $0.map(\.id)
        }
    }

    /// The key's makers, the nearest first. A row without its maker's row, or in a circle, has `isBroken`.
    private func ancestors(of record: KeyRecord) -> (found: [KeyRecord], isBroken: Bool) {
        guard record.parent != nil else { return ([], false) }
        var found: [KeyRecord] = []
        var seen: Set<Int64> = [record.id]
        var next = record.parent
        while let id = next {
            guard let maker = records[id], seen.insert(id).inserted else { return (found, true) }
            found.append(maker)
            next = maker.parent
        }
        return (found, false)
    }

    /// The key with the rights that its makers leave it. It is revoked when one of them is.
    package func effective(_ record: KeyRecord) -> KeyRecord {
        guard record.parent != nil else { return record }
        var result = record
        let line = ancestors(of: record)
        if line.isBroken { result.revokedAt = result.revokedAt ?? "" }
        for maker in line.found {
            result.grant = result.grant.narrowed(to: maker.grant)
            if let revokedAt = maker.revokedAt { result.revokedAt = result.revokedAt ?? revokedAt }
        }
        return result
    }

    /// The key at which shares are counted: the first of the key's makers, below those that may administer. A key that
    /// may administer gives other people keys, which have shares of their own.
    package func root(of id: Int64) -> Int64 {
        guard let record = records[id], record.parent != nil else { return id }
        var top = id
        for maker in ancestors(of: record).found {
            guard !effective(maker).grant.scopes.contains(.admin) else { break }
            top = maker.id
        }
        return top
    }

    /// The key and its makers, the nearest first.
    package func line(of id: Int64) -> [KeyRecord] {
        records[id].map { [$0] + ancestors(of: $0).found } ?? []
    }

    /// The keys that a key made, those that they made, and so on.
    package func descendants(of id: Int64) -> [KeyRecord] {
        var (found, seen): ([KeyRecord], Set<Int64>) = ([], [id])
        var waiting = children[id] ?? []
        while let next = waiting.popLast() {
            guard seen.insert(next).inserted, let record = records[next] else { continue }
            found.append(record)
            waiting += children[next] ?? []
        }
        return found.sorted { $0.id < $1.id }
    }

    /// The keys that share with a key, itself included: those with its ``root(of:)``. What a key that may administer gave to
    /// others is not theirs to fill.
    package func sharing(with id: Int64) -> [Int64] {
        let top = root(of: id)
        return [top] + descendants(of: top).map(\.id).filter { root(of: $0) == top }
    }

    /// Whether a key may make another one by pairing.
    ///
    /// - Throws: ``StorageError/Code/conflict`` when it, with those that share with it, has made as many as allowed.
    func checkRoom(for giver: Int64, now: Int64) throws(StorageError) {
        let makers = Set(sharing(with: giver))
        let living = records.values.filter { record in
            record.isPaired && record.parent.map(makers.contains) == true
                && { $0.revokedAt == nil && !$0.grant.isExpired(at: now) }(effective(record))
        }
        guard living.count < Self.maxChildren else {
            throw StorageError(
                .conflict,
                "this key has paired \(living.count) devices that may still come in, which is the limit; revoke the keys of some first"
            )
        }
    }

    /// The living key that makes another one, with its rights now.
    ///
    /// - Throws: ``StorageError/Code/conflict`` when it has ended or has fewer rights.
    func checkMaker(_ id: Int64, of grant: KeyGrant, now: Int64) throws(StorageError) {
        guard let maker = records[id].map(effective), maker.revokedAt == nil, !maker.grant.isExpired(at: now),
            maker.grant.mayGive(grant)
        else { throw StorageError(.conflict, "the key that makes this one has ended, or may not give these rights") }
    }

    /// Checks a change of a key's grant: one that its makers' rights make void is an error.
    ///
    /// - Throws: ``StorageError/Code/invalid``.
    func check(_ changed: KeyRecord) throws(StorageError) {
        guard let old = records[changed.id], let parent = changed.parent.flatMap({ records[$0] }) else { return }
        guard effective(old).grant == old.grant, effective(changed).grant != changed.grant else { return }
        throw StorageError(
            .invalid,
            "the key \"\(changed.name)\" was made by \"\(parent.name)\" and cannot have more rights; change \"\(parent.name)\" first"
        )
    }

    /// The sessions that end because there are too many: of one key, of one root, and in all. In all, the root with the
    /// most sessions loses one, so that no key ends the sessions of others.
    ///
    /// - Parameter sessions: All sessions, with the newest one that was just opened.
    func surplus(_ sessions: [(id: Int64, key: Int64?, lastUsedAt: Int64)]) -> [Int64] {
        // The newest first.
        var rest = sessions.sorted { ($0.lastUsedAt, $0.id) > ($1.lastUsedAt, $1.id) }
        var (ended, ofKey, ofRoot): ([Int64], [Int64?: Int], [Int64?: Int]) = ([], [:], [:])
        rest = rest.filter { session in
            let root = session.key.map { self.root(of: $0) }
            guard ofKey[session.key, default: 0] < WebSessionRoom.maxSessionsPerKey,
                ofRoot[root, default: 0] < WebSessionRoom.maxSessionsPerRoot
            else {
                ended.append(session.id)
                return false
            }
            ofKey[session.key, default: 0] += 1
            ofRoot[root, default: 0] += 1
            return true
        }
        while rest.count > WebSessionRoom.maxSessions, let most = ofRoot.max(by: { $0.value < $1.value }) {
            guard let place = rest.lastIndex(where: { $0.key.map { self.root(of: $0) } == most.key }) else { break }
            ended.append(rest.remove(at: place).id)
            ofRoot[most.key] = most.value - 1
        }
        return ended
    }
}

extension KeyRecord {
    /// Whether the key was made by pairing.
    package var isPaired: Bool { kind == .session }
}

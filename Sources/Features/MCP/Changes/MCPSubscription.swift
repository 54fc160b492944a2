import GatewayAPI
import Storage
import Tools

/// A stream of `subscriptions/listen`: what the client wants, and the notices so far.
///
/// Nothing is queued: ``changes()`` reads the change log from the last position on.
package struct MCPSubscription: Sendable {
    /// The maximum number of addresses of a subscription.
    private static let maxAddresses = 256

    private let store: any GatewayStore
    private let caller: ToolCaller
    private let id: JSONValue
    private let wantsList: Bool
    /// The addresses as the client wrote them.
    private let wanted: [ResourceAddress: [String]]
    private var position: NotePosition

    /// The time between looks at the change log.
    package var interval: Duration { store.changes.interval }

    private static let prefix = "notifications/"

    fileprivate init(_ request: RPCRequest, _ store: any GatewayStore, _ caller: ToolCaller) async throws {
        let filter = MCPParams(members: try MCPParams(members: request.params).object("notifications"))
        wantsList = filter.members["resourcesListChanged"] == .bool(true)
        var wanted: [ResourceAddress: [String]] = [:]
        switch filter.members["resourceSubscriptions"] {
        case nil, .null?: break
        case .array(let given)? where given.count <= Self.maxAddresses:
            for element in given {
                guard case .string(let uri) = element else { throw Self.wrongAddresses }
                if let address = ResourceAddress(uri) { wanted[address, default: []].append(uri) }
            }
        default: throw Self.wrongAddresses
        }
        if caller.hides != nil {
            for case .thread(let id) in wanted.keys {
                if let thread = try await store.threads.find(id), caller.hides(thread) {
                    wanted[.thread(id)] = nil
                }
            }
        }
        (self.wanted, self.store, self.caller) = (wanted, store, caller)
        id = request.id
        position = try await store.changes.end()
    }

    private static let wrongAddresses = RPCError(
        .invalidParams, "params.notifications.resourceSubscriptions: expected at most \(maxAddresses) strings")

    /// The first message of the stream: what the server will report.
    package var acknowledgement: [UInt8] {
        var kinds: [String: JSONValue] = [:]
        if wantsList { kinds["resourcesListChanged"] = .bool(true) }
        let addresses = wanted.values.flatMap { $0 }.sorted()
        if !addresses.isEmpty { kinds["resourceSubscriptions"] = .array(addresses.map(JSONValue.string)) }
        return notice("subscriptions/acknowledged", ["notifications": .object(kinds)])
    }

    /// The last message of a stream that the server ends.
    package var end: [UInt8] {
        RPCReply.result(.object(["resultType": .string("complete"), "_meta": meta]), to: id)
    }

    /// The notices about all changes since the last call; empty when nothing changed.
    ///
    /// - Throws: ``StorageError``.
    package mutating func changes() async throws -> [[UInt8]] {
        let changed = try await store.changes.ids(since: &position)
        guard !changed.isEmpty else { return [] }
        var notices: [[UInt8]] = wantsList ? [notice("resources/list_changed", [:])] : []
        let threads = try await threads(touchedBy: changed)
        let notes = try await shown(changed)
        for (address, uris) in wanted {
            switch address {
            case .note(let note) where !notes.contains(note): continue
            case .thread(let thread) where !threads(thread): continue
            case .page: continue
            case .note, .thread, .briefing:
                notices += uris.sorted().map { notice("resources/updated", ["uri": .string($0)]) }
            }
        }
        return notices
    }

    /// The notes without those that the caller may not get. Deleted notes stay.
    private func shown(_ ids: Set<Int64>) async throws -> Set<Int64> {
        let named = ids.filter { wanted[.note($0)] != nil }
        guard caller.hides != nil, !named.isEmpty else { return named }
        return named.subtracting(caller.divide(try await store.notes.find(ids: named.sorted())).withheld)
    }

    /// Whether a thread has one of the notes. A note that left its thread or was deleted touches every thread.
    private func threads(touchedBy ids: Set<Int64>) async throws -> @Sendable (Int64) -> Bool {
        guard wanted.keys.contains(where: { if case .thread = $0 { true } else { false } }) else {
            return { _ in false }
        }
        let notes = try await store.notes.find(ids: ids.sorted())
        let known = Set(notes.flatMap { $0.threads.map(\.id) })
        let hasLoose = notes.count < ids.count || notes.contains { $0.threads.isEmpty }
        return { hasLoose || known.contains($0) }
    }

    private var meta: JSONValue { .object(["io.modelcontextprotocol/subscriptionId": id]) }

    private func notice(_ method: String, _ params: [String: JSONValue]) -> [UInt8] {
        var params = params
        params["_meta"] = meta
        return RPCReply.notification(Self.prefix + method, .object(params))
    }
}

extension MCPServer {
    /// Begins the stream of a `subscriptions/listen`.
    ///
    /// - Returns: nil for another method, or a revision without subscriptions.
    /// - Throws: ``RPCError``; the errors of storage and access.
    package func subscription(
        _ request: RPCRequest, _ revision: MCPRevision, for caller: MCPCaller
    ) async throws -> MCPSubscription? {
        guard revision.isStateless, request.method == "subscriptions/listen" else { return nil }
        try caller.require(.notesRead)
        return try await MCPSubscription(request, store, caller.tools)
    }
}

import GatewayAPI
import Storage
import Synchronization

/// Answers the messages of one client over standard input and output.
package protocol StdioPeer: Sendable {
    /// Answers a message, with any number of messages. A cancelled task writes no reply.
    func handle(_ message: RPCMessage, _ bytes: [UInt8], write: @escaping @Sendable ([UInt8]) -> Void) async
}

/// Answers from the database file of this machine.
package final class LocalPeer: StdioPeer {
    private let server: MCPServer
    private let caller: MCPCaller
    private let describe: @Sendable (any Error) -> String
    private let agreed = Mutex(MCPRevision.unnamed)

    /// Creates a peer.
    ///
    /// - Parameter describe: The text of an error of storage or of a model, for the client.
    package init(server: MCPServer, caller: MCPCaller, describe: @escaping @Sendable (any Error) -> String) {
        self.server = server
        self.caller = caller
        self.describe = describe
    }

    package func handle(
        _ message: RPCMessage, _ bytes: [UInt8], write: @escaping @Sendable ([UInt8]) -> Void
    ) async {
        guard case .request(let request) = message else { return }
        do {
            let revision = try MCPEnvelope.revision(of: request, headers: nil, agreed: agreed.withLock { $0 })
            if let subscription = try await server.subscription(request, revision, for: caller) {
                return try await follow(subscription, write)
            }
            if request.method == "initialize", !revision.isStateless {
                let wanted = try MCPParams(members: request.params).textIfPresent("protocolVersion")
                agreed.withLock { $0 = MCPRevision.negotiated(wanted) }
            }
            let result = try await server.answer(request, revision, for: caller)
            if !Task.isCancelled { write(RPCReply.result(result, to: request.id)) }
        } catch let error as RPCError {
            write(RPCReply.error(error, to: request.id))
        } catch {
            guard !Task.isCancelled, !(error is CancellationError) else { return }
            write(RPCReply.error(RPCError(.internal, describe(error)), to: request.id))
        }
    }

    private func follow(_ subscription: MCPSubscription, _ write: @Sendable ([UInt8]) -> Void) async throws {
        var subscription = subscription
        write(subscription.acknowledgement)
        while !Task.isCancelled {
            for notice in try await subscription.changes() { write(notice) }
            try await Task.sleep(for: subscription.interval)
        }
    }
}

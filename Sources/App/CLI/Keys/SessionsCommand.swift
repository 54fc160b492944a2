import ArgumentParser
import Database
import Foundation
import GatewayAPI
import KeyRoom

/// `selene keys sessions`: lists the browsers that are signed in.
struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "List the browsers that are signed in, with the key of each.")

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print a JSON list.")
    var json = false

    func run() async throws {
        let now = Int64(Date.now.timeIntervalSince1970)
        let sessions = try await CommandContext.run(try options.load()) { context in
            let keys = try await context.store.keys.all().filter { $0.revokedAt == nil }
            return try await context.store.webSessions.all().filter { $0.expiresAt > now }.compactMap {
                Self.describe($0, keys)
            }
        }
        if json {
            Terminal.line(try JSONOutput.text(sessions))
            return
        }
        if sessions.isEmpty { Terminal.note("No browser is signed in. Pair a device: selene pair NAME") }
        for session in sessions {
            let parts = [
                String(session.id).padded(to: 4), session.name.padded(to: 20), "since \(session.createdAt)",
                "used \(session.lastUsedAt)", session.userAgent,
            ]
            Terminal.line(parts.joined(separator: "  "))
        }
    }

    /// A session with the name of its key; nil when the key was revoked.
    private static func describe(_ session: WebSessionRecord, _ keys: [KeyRecord]) -> WebSession? {
        let name: String
        switch session.owner {
        case .key(let id):
            guard let key = keys.first(where: { $0.id == id }) else { return nil }
            name = key.name
        case .token: name = "SELENE_API_TOKEN"
        }
        return WebSession(
            id: session.id, name: name, userAgent: session.userAgent,
            createdAt: Timestamp.iso8601(session.createdAt), lastUsedAt: Timestamp.iso8601(session.lastUsedAt))
    }
}

/// `selene keys sign-out`: ends the session of a browser.
struct SignOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "End the session of a browser. Its key stays; to end all sessions of a key, revoke the key.")

    @Argument(help: "The session's id, from `selene keys sessions`.")
    var id: Int64

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let id = id
        try await CommandContext.run(try options.load()) { context in
            guard try await context.store.webSessions.end(id: id) else {
                throw StorageError(.notFound, "there is no session \(id)")
            }
            await context.record(.sessionEnd, nil, id: id)
        }
        Terminal.line("signed out session \(id)")
    }
}

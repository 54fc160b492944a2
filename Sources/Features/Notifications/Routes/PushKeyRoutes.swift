import Access
import GatewayAPI
import HTTPTypes
import Hummingbird
import KeyRoom
import Server

/// Pulpit's routes of keys, over the gateway's own keys.
struct PushKeyRoutes: Sendable {
    let keys: KeyRoom
    let bodyLimit: Int

    /// `GET /api/v1/api-keys`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 200, in: 1...1000)
        let live = try await keys.all().filter { $0.revokedAt == nil }
        let after = try request.parameter("cursor").map { text throws(GatewayError) in
            guard let id = Int64(text) else { throw .field("cursor", "expected the nextCursor of a reply") }
            return id
        }
        let rest = live.filter { $0.id > after ?? 0 }
        let page = rest.prefix(limit)
        return JSONReply.response(
            KeyList(
                apiKeys: page.map { Self.show($0) },
                nextCursor: page.count < rest.count ? page.last.map { "\($0.id)" } : nil))
    }

    /// `POST /api/v1/api-keys`: a key, shown once. Its scope is `push:send` unless the body has others.
    ///
    /// A gateway without keys answers this machine without one. Its first key would close it to all that use it so.
    func add(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        guard context.identity != .anonymous else {
            throw GatewayError(
                .conflict, .init(rawValue: "no_keys"),
                "this gateway has no keys and needs none; make the first one with `selene keys create NAME`")
        }
        let wanted = try await JSONRequest.decode(NewKeyRequest.self, from: request, limit: bodyLimit, in: context)
        let name = try FieldCheck.text(wanted.name, "name", maxBytes: 100) as String
        let words = wanted.permissions ?? [KeyScope.pushSend.rawValue]
        guard !words.isEmpty else { throw GatewayError.field("permissions", "must not be empty") }
        var scopes: Set<KeyScope> = []
        for (index, word) in words.prefix(20).enumerated() {
            let scope = KeyScope(rawValue: word)
            guard [.pushSend, .pushAdmin].contains(scope) || scope.topic != nil else {
                throw GatewayError.field("permissions[\(index)]", "expected push:send, push:send:TOPIC or push:admin")
            }
            scopes.insert(scope)
        }
        // As long as the key that makes it, and no longer.
        let own = context.identity.grant
        let grant = KeyGrant(scopes: scopes, models: own.models, expiresAt: own.expiresAt)
        guard own.mayGive(grant) else {
            throw context.keys?.refuse(context.identity, AccessRefusal.mayNotGive) ?? AccessRefusal.mayNotGive
        }
        context.audits(name, detail: grant.scopes.words.joined(separator: " "))
        let created = try await keys.create(name: name, grant: grant, parent: context.identity.keyID)
        context.audits(name, id: created.record.id, detail: grant.scopes.words.joined(separator: " "))
        var shown = Self.show(created.record)
        shown.key = created.secret
        return JSONReply.response(shown, status: .created)
    }

    /// `DELETE /api/v1/api-keys/:id`
    func revoke(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        let record = try await keys.all().first { $0.id == id && $0.revokedAt == nil }
        guard let record else { throw GatewayError(.notFound, .notFound, "there is no live key \(id)") }
        context.audits(record.name, id: id)
        try await keys.revoke(record.name)
        return Response(status: .noContent)
    }

    private struct NewKeyRequest: Codable {
        var name: String
        var permissions: [String]?
    }

    private struct KeyList: Codable {
        var apiKeys: [Shown]
        var nextCursor: String?
    }

    private struct Shown: Codable {
        var id: Int64
        var name: String
        var prefix: String
        var permissions: [String]
        var createdAt: String
        var lastUsedAt: String?
        var key: String?
    }

    private static func show(_ record: KeyRecord) -> Shown {
        Shown(
            id: record.id, name: record.name, prefix: record.prefix, permissions: record.grant.scopes.words,
            createdAt: record.createdAt, lastUsedAt: record.lastUsedAt, key: nil)
    }
}

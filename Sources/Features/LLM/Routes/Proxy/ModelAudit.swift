import Access
import Audit
import Foundation
import GatewayAPI
import HTTPTypes
import Inference
import NIOCore
import Server

/// What the audit says of a proxied request that changes models, collected while the request passes.
struct ModelAudit {
    /// The largest last part of an answer that is read for an error, in bytes.
    private static let answerLimit = 64 << 10

    private let action: AuditAction
    private let path: String
    /// Reads the names of the models; nil for a route that names none, and for an encoded body.
    private var peek: ModelPeek?
    private var last = ByteBuffer()

    /// Nil for a request that changes no models.
    init?(_ request: ProxiedRequest) {
        guard request.kind == .administration, request.head.method != .head,
            let action = Self.action(of: request.path)
        else { return nil }
        (self.action, path) = (action, request.path)
        peek = ProxyPolicy.namesModel(path, request.kind) && !request.isEncoded ? ModelPeek() : nil
    }

    private static func action(of path: String) -> AuditAction? {
        switch path {
        case "/api/pull": .modelPull
        case "/api/push": .modelPush
        case "/api/create": .modelCreate
        case "/api/copy": .modelCopy
        case "/api/delete": .modelDelete
        case "/api/signout": .modelSignOut
        // `/api/me` only reads.
        default: path.hasPrefix("/api/blobs/") ? .modelUpload : nil
        }
    }

    /// Takes a part of the request's body.
    mutating func push(_ bytes: ByteBuffer) {
        guard let read = peek?.count, read < ModelPeek.limit else { return }
        peek?.push(bytes)
    }

    /// Takes a part of the answer in whole lines: Ollama reports a failed pull in its last line, after the status 200.
    mutating func answered(_ bytes: ByteBuffer) {
        if bytes.readableBytes <= Self.answerLimit { last = bytes }
    }

    /// Writes the entry beside the end of the request. A caller who was not let in gets none.
    func end(_ outcome: RequestOutcome, by identity: Identity, _ requestID: String, in trail: AuditTrail) {
        guard identity.isAdministrator else { return }
        let (object, source) = models
        let details = [source.map { "from \($0)" }, outcome.upstream.map { "at \($0)" }].compactMap(\.self)
        let word =
            if outcome.isCancelled {
                "cancelled"
            } else if outcome.isBroken || outcome.status >= 500 {
                "failed"
            } else if outcome.status >= 400 {
                "refused"
            } else {
                reportsError ? "failed" : "done"
            }
        trail.recordLater(
            AuditEntry(
                by: identity.auditName, keyID: identity.keyID, action: action.rawValue, object: object,
                detail: details.isEmpty ? nil : details.joined(separator: " "),
                outcome: word, status: outcome.status, requestID: requestID))
    }

    /// The model that changes, and the one it is made of.
    private var models: (object: String?, source: String?) {
        guard let peek else {
            return (path.hasPrefix("/api/blobs/") ? String(path.dropFirst("/api/blobs/".count)) : nil, nil)
        }
        guard case .models(let names) = peek.agreement(at: path) else {
            if case .model(let name) = peek.finding { return (name, nil) }
            return (nil, nil)
        }
        if action == .modelCopy { return (names.last, names.first) }
        return (names.first, names.count > 1 ? names.last : nil)
    }

    private var reportsError: Bool {
        struct Line: Decodable { var error: String? }
        guard let line = last.readableBytesView.split(separator: UInt8(ascii: "\n")).last else { return false }
        return (try? JSONDecoder().decode(Line.self, from: Data(line)))?.error != nil
    }
}

package import Access
import Audit
import GatewayAPI
import HTTPTypes
import Hummingbird

/// What a request changes, for its entry in the audit.
struct AuditSubject: Sendable {
    var object: String?
    var id: String?
    var detail: String?
    /// Whether the request turned out to change nothing.
    var isNothing = false
}

extension GatewayRequestContext {
    /// Names what the request changes, for its entry in the audit. Without this call it is the path's `id`.
    ///
    /// Never pass a key, a code, a prompt or the text of a note.
    ///
    /// - Parameters:
    ///   - object: The name of what is changed.
    ///   - id: Its id.
    ///   - detail: What else is worth knowing, in few words.
    package func audits(_ object: String?, id: Int64? = nil, detail: String? = nil) {
        trace.audits(AuditSubject(object: object, id: id.map(String.init), detail: detail))
    }

    /// Says that the request changes nothing, so it gets no entry in the audit.
    package func auditsNothing() { trace.audits(AuditSubject(isNothing: true)) }

    /// Runs a handler that changes something for an administrator, then writes the entry of the audit, whatever came of it.
    ///
    /// - Parameters:
    ///   - trail: Waits for the entry for a bounded time.
    ///   - errors: Tells the status of an error.
    func audited(
        _ action: AuditAction, in trail: AuditTrail, errors: ErrorShapes, _ work: () async throws -> Response
    ) async throws -> Response {
        do {
            let response = try await work()
            await record(action, in: trail, status: response.status.code, outcome: "done")
            return response
        } catch {
            let status = errors.describe(error, path: "").status.code
            let isCancelled = status == HTTPResponse.Status.clientClosedRequest.code
            await record(
                action, in: trail, status: status,
                outcome: isCancelled ? "cancelled" : status < 500 ? "refused" : "failed")
            throw error
        }
    }

    private func record(_ action: AuditAction, in trail: AuditTrail, status: Int, outcome: String) async {
        let subject = trace.audited
        guard subject?.isNothing != true else { return }
        await trail.record(
            AuditEntry(
                by: identity.auditName, keyID: identity.keyID, action: action.rawValue, object: subject?.object,
                objectID: subject.map(\.id) ?? parameters.get("id"), detail: subject?.detail, outcome: outcome,
                status: status, requestID: requestID))
    }
}

extension Identity {
    /// The name of the caller for the audit.
    package var auditName: String {
        switch holder {
        case .unknown, .anonymous: "no key"
        case .token, .machine, .key: name
        }
    }
}

extension RouteAccess {
    /// Whether only administrators have the access.
    var isAdministrative: Bool {
        switch self {
        case .requireScope(.admin, _), .requireScope(.pushAdmin, _): true
        default: false
        }
    }
}

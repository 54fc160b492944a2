import Foundation
import GatewayAPI
import Prompts

/// What all questions of a conversation are sent with.
struct ChatOptions: Sendable {
    /// The kind; nil for the gateway's default.
    var kind: ChatKind?
    /// The notes that may be used; nil for all.
    var scope: ChatScope?
    /// The model; nil for the gateway's default.
    var model: String?
    var usesTools = true
    var isStrict = false
    /// The maximum number of passages of the first search; nil for the kind's default.
    var limit: Int?

    /// The request for an answer, under a new id.
    func request(_ question: String, session: String?, parent: FieldUpdate<Int64> = .keep) -> ChatRunRequest {
        var request = ChatRunRequest(
            id: "run-" + UUID().uuidString.lowercased(), question: question, session: session)
        request.parent = parent
        request.kind = kind?.rawValue
        request.scope = scope
        request.model = model
        request.tools = usesTools ? nil : false
        request.strict = isStrict ? true : nil
        request.limit = limit
        return request
    }
}

import Access
package import ChatRoom
package import GatewayAPI
package import Inference
package import Prompts

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A checked request for an answer.
package struct RunPlan: Sendable {
    /// The id that the client chose.
    package var id: String
    /// The question.
    package var question: String
    /// The session; nil for a new one.
    package var session: String?
    /// The message that the question follows.
    package var parent: FieldUpdate<Int64>
    /// What was said between the parent and the question in another program, oldest first.
    package var earlier: [EarlierMessage] = []
    /// What the program behind it brings.
    package var client = RunClient()
    /// What can be read from the database again when the run is continued.
    package var options: Options

    /// The options of a run, stored with it.
    package struct Options: Codable, Sendable, Hashable {
        /// The kind of conversation.
        package var kind: String
        /// The notes that may be used; nil for all.
        package var scope: ChatScope?
        /// Whether the model may call tools.
        package var tools: Bool
        /// Whether only supported sentences count.
        package var strict: Bool
        /// The maximum number of passages of the first search.
        package var limit: Int
        /// Whether the model thinks first; nil for its default.
        package var thinks: Bool?
        /// Whether the person wants memories in this session; nil when they said nothing of it.
        package var memories: Bool?
        /// What the client's program tells the model beside the gateway's rules; nil for nothing.
        package var instructions: String?
        /// Whether the run uses memories, and is read for them; nil for one of an older version.
        package var remembers: Bool?
    }

    /// Creates a plan.
    package init(
        id: String, question: String, session: String?, parent: FieldUpdate<Int64>, options: Options
    ) {
        self.id = id
        self.question = question
        self.session = session
        self.parent = parent
        self.options = options
    }
}

extension RunPlan.Options {
    /// The kind; `ask` for one that this version does not know.
    package var chatKind: ChatKind { ChatKind(rawValue: kind) ?? .ask }

    /// Whether a question may use what another one found: both are about the same notes or books.
    func sharesNotes(with other: Self) -> Bool {
        scope == other.scope && chatKind.needsBook == other.chatKind.needsBook
    }

    /// What a mark around notes belongs to: the session, or the books of one about books, so that it is known before the session.
    func fenced(in session: String) -> String {
        guard chatKind.needsBook else { return session }
        return "books\0" + (scope?.book?.values ?? []).map(String.init).joined(separator: ",")
    }

    /// The options as JSON.
    func json() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }

    /// Reads stored options; defaults when they cannot be read.
    init(stored json: String) {
        self =
            (try? JSONDecoder().decode(Self.self, from: Data(json.utf8)))
            ?? Self(kind: "ask", scope: nil, tools: true, strict: false, limit: 6, thinks: nil)
    }
}

/// On whose behalf a run works, after its request has ended.
package struct RunOwner: Sendable {
    /// The name for a fair share of searches and of the upstream.
    package let caller: AdmissionCaller
    /// The key's id; nil for none.
    package let key: Int64?
    /// The scopes of the key; nil for all.
    package let scopes: Set<String>?
    /// Charges the key for tokens of a prompt and of an answer.
    package let charge: Charge

    /// Charges for the tokens of a model, by its full name.
    package typealias Charge = @Sendable (_ model: String, _ prompt: Int, _ completion: Int) -> Void

    /// Creates an owner.
    package init(
        caller: AdmissionCaller, key: Int64?, scopes: Set<String>?,
        charge: @escaping Charge
    ) {
        self.caller = caller
        self.key = key
        self.scopes = scopes
        self.charge = charge
    }

    /// The account for searches.
    var account: TokenAccount { TokenAccount(caller) { [charge] tokens, model in charge(model, tokens, 0) } }

    /// The name for shares.
    var name: String { caller.identity }
}

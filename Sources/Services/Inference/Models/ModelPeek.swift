package import NIOCore

/// Reads the model from a JSON body while the body arrives. No other code reads a body's model.
///
/// ``finding`` is the model that Ollama uses: the member `model`, or `name` from older clients, in any letter case. The
/// last one counts, and null is ignored. ``agreement(at:)`` is the model that every server would use; permissions must
/// depend on it. The scan also finds `options` and `keep_alive`.
package struct ModelPeek {
    /// The bytes of a body to examine before deciding how to handle the request.
    package static let limit = 1 << 20

    /// The model found so far.
    package enum Finding: Sendable, Hashable {
        /// No model yet, or none at all.
        case none
        /// The model, as written in the body.
        case model(String)
        /// The body is not a JSON object, or its model is not a string.
        case unreadable
    }

    /// The models that all servers would read from a body.
    package enum Agreement: Sendable, Hashable {
        /// The named models, each from exactly one member, spelled as in the API.
        case models([String])
        /// A model is missing so far.
        case missing
        /// Servers may read different models: a model member is repeated or spelled differently.
        case ambiguous
        /// The body is not a JSON object, a model is not a string, or bytes follow the object.
        case unreadable
    }

    private(set) var scanner: MemberScanner

    package init() {
        let names = ModelMembers.all.union(["options", "keep_alive"])
        scanner = MemberScanner { names.contains(ModelPeek.folded($0)) }
    }

    /// Takes the next bytes of the body.
    package mutating func push(_ bytes: ByteBuffer) {
        unsafe bytes.withUnsafeReadableBytes { unsafe scanner.push($0) }
    }

    /// The model that Ollama reads from the bytes so far.
    package var finding: Finding {
        if scanner.progress == .failed { return .unreadable }
        switch modelMember {
        case .none: return .unreadable
        case .some(let member): return member?.text.map(Finding.model) ?? .none
        }
    }

    /// The models that every server reads from the bytes so far.
    ///
    /// - Parameter path: The route, without a query.
    package func agreement(at path: String) -> Agreement {
        guard scanner.progress != .failed, !scanner.isFollowed else { return .unreadable }
        let members = ModelMembers(path: path)
        var models: [String] = []
        for group in members.required + members.optional {
            let given = self.given(group)
            guard given.count <= 1 else { return .ambiguous }
            guard let member = given.first else {
                if members.optional.contains(group) { continue }
                return .missing
            }
            guard group.contains(member.name) else { return .ambiguous }
            guard let text = member.text else { return .unreadable }
            guard !text.isEmpty else { return .missing }
            models.append(text)
        }
        return .models(models)
    }

    /// Whether a model member is repeated.
    ///
    /// - Parameter path: The route, without a query.
    package func repeatsModel(at path: String) -> Bool {
        let members = ModelMembers(path: path)
        return (members.required + members.optional).contains { given($0).count > 1 }
    }

    private func given(_ names: [String]) -> [MemberScanner.Member] {
        scanner.members.filter { names.contains(Self.folded($0.name)) }
    }

    /// Whether the whole object has been seen.
    package var isComplete: Bool { if case .ended = scanner.progress { true } else { false } }

    /// The number of bytes pushed.
    package var count: Int { scanner.offset }

    /// The member that Ollama uses, or `.some(nil)` for none; nil when any model member is not a string, which Ollama
    /// rejects.
    var modelMember: MemberScanner.Member?? {
        for name in ["model", "name"] {
            let given = given([name]).filter { $0.kind != .null }
            guard given.allSatisfy({ $0.text != nil }) else { return .none }
            if let last = given.last, last.text?.isEmpty == false { return .some(last) }
        }
        return .some(nil)
    }

    /// The members with a name, in any letter case.
    func members(_ name: String) -> [MemberScanner.Member] { given([name]) }

    /// Folds a name as Go's decoder does: letters that fold to ASCII become lower case. Besides A to Z these are U+017F
    /// (long s) and U+212A (the Kelvin sign).
    static func folded(_ name: String) -> String {
        var folded = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            switch scalar {
            case "A"..."Z": folded.append(Unicode.Scalar(UInt8(scalar.value) + 0x20))
            case "\u{17F}": folded.append("s")
            case "\u{212A}": folded.append("k")
            default: folded.append(scalar)
            }
        }
        return String(folded)
    }
}

/// The names of the members that name models, by route.
struct ModelMembers: Sendable {
    /// Groups of equivalent names; exactly one member of each group must be present.
    let required: [[String]]
    /// Groups of equivalent names of which at most one member may be present.
    let optional: [[String]]

    /// The names of these members on all routes.
    static let all: Set<String> = ["model", "name", "from", "source", "destination"]

    init(path: String) {
        switch path {
        case "/api/show", "/api/delete", "/api/pull", "/api/push": (required, optional) = ([["model", "name"]], [])
        case "/api/create": (required, optional) = ([["model", "name"]], [["from"]])
        case "/api/copy": (required, optional) = ([["source"], ["destination"]], [])
        default: (required, optional) = ([["model"]], [])
        }
    }
}

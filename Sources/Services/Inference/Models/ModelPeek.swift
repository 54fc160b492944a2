public import NIOCore

/// Finds the model that a JSON body names, while the body comes: the one place where a body's model is read.
///
/// ``finding`` is what Ollama takes: the member `model`, or `name` in older clients' bodies, whatever the case of its
/// letters; the last one where a name is given twice; null changes nothing. ``agreement(at:)`` is what every server would
/// take, and is the one to base a permission on. `options` and `keep_alive` are found on the way.
public struct ModelPeek {
    /// Bytes of a body that are looked at before it is decided what to do with it.
    public static let limit = 1 << 20

    /// What a body says so far.
    public enum Finding: Sendable, Hashable {
        /// Nothing yet, or nothing at all.
        case none
        /// The model, as it is written.
        case model(String)
        /// It is no JSON object, or its model is no text.
        case unreadable
    }

    /// What all readers of a body agree on.
    public enum Agreement: Sendable, Hashable {
        /// The models that the body names, each by one member, spelled as the API spells it.
        case models([String])
        /// A model is missing, so far.
        case missing
        /// Servers differ in which model they take: a member that names one is repeated, or spelled in another way.
        case ambiguous
        /// It is no JSON object, a model is no text, or something follows the object.
        case unreadable
    }

    private(set) var scanner: MemberScanner

    /// Creates a peek at the beginning of a body.
    public init() {
        let names = ModelMembers.all.union(["options", "keep_alive"])
        scanner = MemberScanner { names.contains(ModelPeek.folded($0)) }
    }

    /// Takes the next bytes of the body.
    public mutating func push(_ bytes: ByteBuffer) {
        unsafe bytes.withUnsafeReadableBytes { unsafe scanner.push($0) }
    }

    /// What the bytes up to now say to Ollama.
    public var finding: Finding {
        if scanner.progress == .failed { return .unreadable }
        switch modelMember {
        case .none: return .unreadable
        case .some(let member): return member?.text.map(Finding.model) ?? .none
        }
    }

    /// What the bytes up to now say to every server.
    ///
    /// - Parameter path: The route, without a query.
    public func agreement(at path: String) -> Agreement {
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

    /// Whether a member that names a model is repeated.
    ///
    /// - Parameter path: The route, without a query.
    public func repeatsModel(at path: String) -> Bool {
        let members = ModelMembers(path: path)
        return (members.required + members.optional).contains { given($0).count > 1 }
    }

    private func given(_ names: [String]) -> [MemberScanner.Member] {
        scanner.members.filter { names.contains(Self.folded($0.name)) }
    }

    /// Whether the whole object has been seen.
    public var isComplete: Bool { if case .ended = scanner.progress { true } else { false } }

    /// Bytes that were pushed.
    public var count: Int { scanner.offset }

    /// The member that counts to Ollama, if any; nil when one is no text, which is an error to it wherever it stands.
    var modelMember: MemberScanner.Member?? {
        for name in ["model", "name"] {
            let given = given([name]).filter { $0.kind != .null }
            guard given.allSatisfy({ $0.text != nil }) else { return .none }
            if let last = given.last, last.text?.isEmpty == false { return .some(last) }
        }
        return .some(nil)
    }

    /// The members of a name that say something.
    func members(_ name: String) -> [MemberScanner.Member] { given([name]) }

    /// A name as Go's decoder compares it: letters that fold to ASCII in lower case. Beside A to Z, Unicode's simple
    /// folding has two of those: U+017F (long s) and U+212A (the Kelvin sign).
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

/// The members of a route's body that name models.
struct ModelMembers: Sendable {
    /// Groups of names that stand for the same thing; exactly one member of each has to be there.
    let required: [[String]]
    /// The same, but none has to be there.
    let optional: [[String]]

    /// The names of all routes.
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

public import NIOCore

/// Finds the model that a JSON body names, while the body comes.
///
/// As Ollama reads it: the member `model`, or `name` in older clients' bodies, whatever the case of its letters; the
/// last one where a name is given twice; null changes nothing. `options` and `keep_alive` are found on the way.
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

    private(set) var scanner: MemberScanner

    /// Creates a peek at the beginning of a body.
    public init() {
        scanner = MemberScanner { ["model", "name", "options", "keep_alive"].contains(ModelPeek.folded($0)) }
    }

    /// Takes the next bytes of the body.
    public mutating func push(_ bytes: ByteBuffer) {
        unsafe bytes.withUnsafeReadableBytes { unsafe scanner.push($0) }
    }

    /// What the bytes up to now say.
    public var finding: Finding {
        if scanner.progress == .failed { return .unreadable }
        switch modelMember {
        case .none: return .unreadable
        case .some(let member): return member?.text.map(Finding.model) ?? .none
        }
    }

    /// Whether the whole object has been seen.
    public var isComplete: Bool { if case .ended = scanner.progress { true } else { false } }

    /// Bytes that were pushed.
    public var count: Int { scanner.offset }

    /// The member that counts, if any; nil when one is no text, which is an error to Ollama wherever it stands.
    var modelMember: MemberScanner.Member?? {
        for name in ["model", "name"] {
            let given = scanner.members.filter { Self.folded($0.name) == name && $0.kind != .null }
            guard given.allSatisfy({ $0.text != nil }) else { return .none }
            if let last = given.last, last.text?.isEmpty == false { return .some(last) }
        }
        return .some(nil)
    }

    /// The members of a name that say something.
    func members(_ name: String) -> [MemberScanner.Member] {
        scanner.members.filter { Self.folded($0.name) == name }
    }

    /// ASCII letters in lower case: Go's decoder does not mind the case of names. No other letters fold to "model" or "name".
    static func folded(_ name: String) -> String {
        String(decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
    }
}

/// A result of a check.
struct Finding: Sendable {
    /// How serious a finding is.
    enum Severity: String, Encodable, Sendable {
        case ok
        /// It works, but needs attention.
        case warning
        /// Something does not work, or notes are at risk.
        case problem
    }

    /// The check's name: one or two words.
    var check: String
    var severity: Severity
    /// The result, as text.
    var message: String
    /// The remedy: a command or a sentence.
    var remedy: String?
    /// The repair that `--fix` applies; nil when a person has to decide.
    var fix: (@Sendable () async throws -> Void)?
    var isFixed = false

    static func ok(_ check: String, _ message: String) -> Finding {
        Finding(check: check, severity: .ok, message: message)
    }

    static func warning(
        _ check: String, _ message: String, remedy: String, fix: (@Sendable () async throws -> Void)? = nil
    ) -> Finding {
        Finding(check: check, severity: .warning, message: message, remedy: remedy, fix: fix)
    }

    static func problem(
        _ check: String, _ message: String, remedy: String, fix: (@Sendable () async throws -> Void)? = nil
    ) -> Finding {
        Finding(check: check, severity: .problem, message: message, remedy: remedy, fix: fix)
    }

    /// The finding as lines for a person.
    var text: SafeText {
        let mark: SafeText =
            switch severity {
            case _ where isFixed: "fixed  "
            case .ok: "ok     "
            case .warning: "warning"
            case .problem: "PROBLEM"
            }
        var lines: [SafeText] = ["\(severity == .ok ? mark : Terminal.bold(mark))  \(check): \(message)"]
        if let remedy, !isFixed {
            lines.append("         → \(remedy)\(fix == nil ? "" : " (or: selene doctor --fix)")")
        }
        return SafeText.lines(lines)
    }
}

extension Finding: Encodable {
    private enum CodingKeys: String, CodingKey { case check, severity, message, remedy, fixable, fixed }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(check, forKey: .check)
        try container.encode(severity, forKey: .severity)
        try container.encode(message, forKey: .message)
        try container.encodeIfPresent(remedy, forKey: .remedy)
        try container.encode(fix != nil, forKey: .fixable)
        try container.encode(isFixed, forKey: .fixed)
    }
}

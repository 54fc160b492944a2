import Foundation
import GatewayAPI
import GatewayTestSupport

/// Compares the answers of two gateways, and keeps what later requests can use.
///
/// Two answers are equal but for this:
/// - ids and secrets that a gateway makes by chance: a pair of them stays one;
/// - times: two of the same form that are at most ``seconds`` apart, since one gateway answers after the other;
/// - durations, see ``durations``;
/// - the last digits of figures, see ``precision``.
struct AnswerComparison {
    /// How far two times may be from each other that are made for the same request.
    private static let seconds = 5.0
    /// A prompt has marks made by chance between notes, so its tokens count as a duration does, and so do the bytes that a search
    /// reads: they depend on which notes an index has in its file and which beside it.
    private static let durations: Set = ["timings_ms", "ms", "opened_ms", "prompt_tokens", "bytes_scanned"]
    /// A row's place in an index decides the order in which a processor adds the products of a similarity.
    private static let precision = 1e-6

    var pairs = KnownPairs()
    /// Values of earlier answers, by what they are.
    private(set) var pools: [String: [JSONValue]] = [:]

    /// Returns where two values differ.
    mutating func differences(_ file: JSONValue, _ postgres: JSONValue, at path: String = "") -> [String] {
        switch (file, postgres) {
        case (.object(let file), .object(let postgres)):
            return Set(file.keys).union(postgres.keys).subtracting(Self.durations).sorted().flatMap { name in
                guard let first = file[name], let second = postgres[name] else {
                    let (first, second) = (file[name].map(Self.text), postgres[name].map(Self.text))
                    return ["\(path).\(name): \(first ?? "absent") in the file, \(second ?? "absent") in PostgreSQL"]
                }
                return differences(first, second, at: "\(path).\(name)")
            }
        case (.array(let file), .array(let postgres)) where file.count == postgres.count:
            return file.indices.flatMap { differences(file[$0], postgres[$0], at: "\(path)[\($0)]") }
        default:
            guard !areOne(file, postgres) else { return [] }
            return ["\(path): \(Self.text(file)) in the file, \(Self.text(postgres)) in PostgreSQL"]
        }
    }

    private mutating func areOne(_ file: JSONValue, _ postgres: JSONValue) -> Bool {
        switch (file, postgres) {
        case (.string(let file), .string(let postgres)): return file == postgres || areOne(file, postgres)
        case (.integer, .number), (.number, .integer), (.number, .number), (.integer, .integer):
            let (first, second) = (Self.number(file), Self.number(postgres))
            // Some times are numbers of seconds or milliseconds.
            for unit in [1, 1000.0] where (1.7e9...4e9).contains(first / unit) {
                return abs(first - second) <= Self.seconds * unit
            }
            return file == postgres || abs(first - second) <= Self.precision * max(abs(first), abs(second), 1)
        default: return file == postgres
        }
    }

    /// Whether two texts differ only in what is made by chance, and in times.
    private mutating func areOne(_ file: String, _ postgres: String) -> Bool {
        let (first, second) = (Self.parts(file), Self.parts(postgres))
        guard first.count == second.count else { return false }
        for (first, second) in zip(first, second) where first.text != second.text {
            switch (first.kind, second.kind) {
            case (.chance, .chance): guard pairs.areOne(first.text, second.text) else { return false }
            case (.time(let first), .time(let second)): guard abs(first - second) <= Self.seconds else { return false }
            default: return false
            }
        }
        return true
    }

    private enum Kind { case plain, chance, time(Double) }

    /// A text in parts: times, ids and secrets, and what is between them.
    private static func parts(_ text: String) -> [(kind: Kind, text: String)] {
        let special =
            #/(?<uuid>[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})|(?<time>[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?Z?|[0-9]{8}T[0-9]{6}Z)|(?<secret>(?:sl[kp]|whsec|request|reg)[_ ][A-Za-z0-9+\/=_-]{6,})|(?<other>=====[0-9a-z]{8,}=====|\b[0-9a-f]{16}\b|[A-Za-z0-9+\/=_-]{30,})/#
        var (parts, end) = ([(kind: Kind, text: String)](), text.startIndex)
        for match in text.matches(of: special) {
            parts.append((.plain, String(text[end..<match.range.lowerBound])))
            let found = String(match.0)
            let time = match.time.flatMap { seconds(String($0)) }
            parts.append((match.time == nil ? .chance : time.map { .time($0) } ?? .plain, found))
            end = match.range.upperBound
        }
        parts.append((.plain, String(text[end...])))
        return parts
    }

    private static func seconds(_ text: String) -> Double? {
        let digits = text.filter(\.isNumber)
        let numbers = [0..<4, 4..<6, 6..<8, 8..<10, 10..<12, 12..<14].compactMap {
            Int(digits.dropFirst($0.lowerBound).prefix($0.count))
        }
        guard numbers.count == 6 else { return nil }
        var days = numbers[0] * 365 + numbers[1] * 31 + numbers[2]
        days = days * 24 + numbers[3]
        return Double((days * 60 + numbers[4]) * 60 + numbers[5])
    }

    private static func number(_ value: JSONValue) -> Double {
        switch value {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: .nan
        }
    }

    private static func text(_ value: JSONValue) -> String {
        String(String(decoding: value.json, as: UTF8.self).prefix(300))
    }

    // MARK: What later requests use

    /// Keeps the ids and names of an answer.
    mutating func keep(_ answer: JSONValue, of path: String) {
        keep(answer, in: Self.collection(path), depth: 0)
    }

    private mutating func keep(_ answer: JSONValue, in collection: String, depth: Int) {
        switch answer {
        case .array(let elements): for element in elements { keep(element, in: collection, depth: depth) }
        case .object(let members):
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                switch value {
                case .string, .integer:
                    if name == "id", depth < 2 { add(value, to: collection) }
                    if Self.kept.contains(name) {
                        add(value, to: name.lowercased().replacing("next_", with: "").replacing("next", with: ""))
                    }
                case .object, .array:
                    keep(
                        value, in: name == "deliveries" ? "/api/v1/deliveries" : collection,
                        depth: name == "deliveries" ? 0 : depth + 1)
                default: break
                }
            }
        default: break
        }
    }

    private mutating func add(_ value: JSONValue, to pool: String) {
        let value = if case .string(let text) = value { JSONValue.string(pairs.marked(text)) } else { value }
        guard pools[pool]?.contains(value) != true else { return }
        pools[pool, default: []].append(value)
    }

    private static let kept: Set = [
        "revision", "version", "number", "turn", "unit", "name", "next_cursor", "nextCursor",
    ]

    /// The route of the collection that a route belongs to.
    static func collection(_ path: String) -> String {
        if path.contains("messages"), path.contains("/sessions/") || path.contains("recent") { return "message" }
        if path == "/webhook/api/drafts" || path.hasPrefix("/api/notes") { return "/api/notes" }
        if path.hasSuffix("/drafts/{id}/confirm") { return "/api/tasks" }
        return String(path.prefix { $0 != "{" }.reversed().drop { $0 == "/" }.reversed())
    }
}

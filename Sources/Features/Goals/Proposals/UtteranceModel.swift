import GatewayAPI
package import Goals
package import Inference
import Transport

/// Asks a model for the fields of an utterance that the parser left open.
///
/// Only a model on a machine of the user is asked. The answer is bound to a schema, short and in time, or it is of no use; what
/// it says is checked by ``Goals/ActionDraft``.
package struct UtteranceModel: Sendable {
    /// The time of an answer, with loading the model.
    package static let timeout = Duration.seconds(20)
    /// Tokens of an answer.
    static let maxTokens = 200
    /// Bytes of an answer that are read.
    static let maxBytes = 4 << 10

    private let name: String
    private let providers: ChatProviders
    private let timeout: Duration

    /// Creates a reader; nil without a model's name.
    package init?(_ name: String?, providers: ChatProviders, timeout: Duration = Self.timeout) {
        guard let name else { return nil }
        self.name = name
        self.providers = providers
        self.timeout = timeout
    }

    /// Reads the missing fields.
    ///
    /// - Parameter caller: The name of the key, for a fair place in the queue of the upstream.
    /// - Returns: Nil if the model is elsewhere, cannot be reached in time, or does not answer as asked.
    /// - Throws: `CancellationError`, if the task was cancelled: the upstream's connection is closed then.
    package func read(
        _ text: String, _ missing: [ModelReading.Field], today: LocalDay, caller: String?
    ) async throws -> ModelReading? {
        guard !missing.isEmpty else { return nil }
        let (provider, model) = providers.resolve(name)
        guard provider.isLocal else { return nil }
        let answer = UtteranceAnswer()
        do {
            let capabilities = try await provider.capabilities(of: model)
            guard !capabilities.isRemote else { return nil }
            var request = ModelChatRequest(
                model: model, turns: [.system(Self.instructions(missing, today)), .user(text)])
            request.format = .schema(Self.schema(missing))
            request.maxTokens = Self.maxTokens
            request.temperature = 0
            request.thinks = capabilities.thinking ? false : nil
            let (asked, limit) = (request, timeout)
            let isInTime = try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await provider.chat(asked, for: AdmissionCaller(caller ?? "goals")) { await answer.take($0) }
                    return true
                }
                group.addTask {
                    try await Task.sleep(for: limit)
                    return false
                }
                defer { group.cancelAll() }
                return try await group.next() ?? false
            }
            guard isInTime, await answer.isWhole else { return nil }
        } catch {
            try Task.checkCancellation()
            return nil
        }
        try Task.checkCancellation()
        return Self.reading(await answer.text, missing)
    }

    // MARK: The question

    private static func instructions(_ missing: [ModelReading.Field], _ today: LocalDay) -> String {
        let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
        let lines = missing.map { field in
            switch field {
            case .activity: "activity: what was done, one English verb such as run, read or clean"
            case .amounts: "amounts: numbers with units as written, such as 5 km; no durations"
            case .minutes: "minutes: how long it took, in minutes"
            case .day: "day: the date, YYYY-MM-DD"
            case .time: "time: HH:MM, or one of \(DayPart.allCases.map(\.rawValue).joined(separator: ", "))"
            case .goal: "goal: the words that name a goal of the person"
            }
        }
        return """
            The user says in a sentence, in English or German, what they did. Today is \(days[today.weekday]), \(today). Answer \
            with a JSON object of these fields, null for what the sentence does not say. Guess nothing.
            \(lines.joined(separator: "\n"))
            """
    }

    /// A schema of the missing fields only.
    private static func schema(_ missing: [ModelReading.Field]) -> JSONValue {
        func orNull(_ type: String) -> JSONValue { .object(["type": .array([.string(type), .string("null")])]) }
        let properties = missing.map { field -> (String, JSONValue) in
            switch field {
            case .activity, .day, .time, .goal: return (field.rawValue, orNull("string"))
            case .minutes: return (field.rawValue, orNull("number"))
            case .amounts:
                let amount: JSONValue = .object([
                    "type": .string("object"), "required": .array([.string("amount"), .string("unit")]),
                    "additionalProperties": .bool(false),
                    "properties": .object([
                        "amount": .object(["type": .string("number")]), "unit": .object(["type": .string("string")]),
                    ]),
                ])
                return (
                    field.rawValue, .object(["type": .array([.string("array"), .string("null")]), "items": amount])
                )
            }
        }
        return .object([
            "type": .string("object"), "additionalProperties": .bool(false),
            "required": .array(missing.map { .string($0.rawValue) }),
            "properties": .object(Dictionary(properties) { first, _ in first }),
        ])
    }

    // MARK: The answer

    /// Reads an answer; nil for one that does not follow the schema.
    static func reading(_ text: String, _ missing: [ModelReading.Field]) -> ModelReading? {
        guard case .object(let members)? = try? JSONDocument(parsing: Array(text.utf8)).decode(JSONValue.self),
            Set(members.keys).isSubset(of: missing.map(\.rawValue))
        else { return nil }
        var reading = ModelReading()
        for (name, value) in members {
            guard let field = ModelReading.Field(rawValue: name) else { return nil }
            switch (field, value) {
            case (_, .null): continue
            case (.activity, .string(let text)): reading.activity = text
            case (.day, .string(let text)): reading.day = text
            case (.time, .string(let text)): reading.time = text
            case (.goal, .string(let text)): reading.goal = text
            case (.minutes, _):
                guard let number = value.amount else { return nil }
                reading.minutes = number
            case (.amounts, .array(let elements)):
                for element in elements {
                    guard case .object(let pair) = element, pair.count == 2, let amount = pair["amount"]?.amount,
                        case .string(let unit)? = pair["unit"]
                    else { return nil }
                    reading.amounts.append(ModelReading.Amount(amount: amount, unit: unit))
                }
            default: return nil
            }
        }
        return reading
    }
}

extension JSONValue {
    /// A number of either kind.
    fileprivate var amount: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number.isFinite ? number : nil
        default: nil
        }
    }
}

/// Collects an answer, up to a limit.
private actor UtteranceAnswer {
    private(set) var text = ""
    private var isCut = false
    private var hasEnded = false

    /// Whether the model ended its answer and nothing of it was left out.
    var isWhole: Bool { hasEnded && !isCut }

    func take(_ event: ChatEvent) {
        switch event {
        case .text(let piece):
            if text.utf8.count + piece.utf8.count <= UtteranceModel.maxBytes { text += piece } else { isCut = true }
        case .ended(let end):
            hasEnded = true
            if end.reason != .stop { isCut = true }
        default: break
        }
    }
}

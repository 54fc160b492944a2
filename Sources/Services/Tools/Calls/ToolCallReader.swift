import GatewayAPI

/// Decides what happens to the calls of one run, round by round.
///
/// A value of one run: it knows the calls of earlier rounds and their results. Memory is bounded by
/// ``Limits/rounds`` × ``Limits/callsPerRound`` results.
package struct ToolCallReader: Sendable {
    /// How much a model may call.
    package struct Limits: Sendable, Hashable {
        /// Rounds with tools; the request after the last one offers none.
        package var rounds = 3
        /// Calls of a round that are carried out; the others are refused.
        package var callsPerRound = 8
        /// Calls of a round that get a result at all; the others are dropped.
        package var resultsPerRound = 32
        /// Bytes of a call's arguments as JSON.
        package var argumentBytes = 65_536

        /// The limits of a chat.
        package init() {}
    }

    /// The tools that the run offers.
    package let tools: ToolRegistry
    /// How much the model may call.
    package let limits: Limits
    /// Rounds that were read.
    package private(set) var rounds = 0
    /// Results by the signature of their calls; nil until the result is recorded.
    private var earlier: [String: (id: String, text: String?)] = [:]
    private var usedIDs: Set<String> = []

    /// Starts a run.
    package init(tools: ToolRegistry, limits: Limits = Limits()) {
        self.tools = tools
        self.limits = limits
    }

    /// Whether the next request to the model may offer tools.
    package var offersTools: Bool { rounds < limits.rounds && !tools.tools.isEmpty }

    /// Reads the calls of a round, in their order.
    ///
    /// - Returns: A decision for each call, at most ``Limits/resultsPerRound``. After the last round every call is refused.
    package mutating func read(_ calls: [ToolCall]) -> [ToolDecision] {
        let isOpen = offersTools
        rounds += 1
        var running = 0
        return calls.prefix(limits.resultsPerRound).enumerated().map { place, call in
            let id = uniqueID(call.id, place: place)
            guard isOpen else { return refusal(of: call, id, Remark.noMoreRounds) }
            guard let tool = tools.tool(named: call.name) else {
                return refusal(of: call, id, Remark.unknown(call.name, tools: tools.names))
            }
            let arguments: ToolArguments
            do throws(UnreadableArguments) {
                arguments = try self.arguments(of: call, for: tool)
            } catch {
                return refusal(of: call, id, error.text)
            }
            let json = JSONValue.object(arguments.values).json
            guard json.count <= limits.argumentBytes else {
                return refusal(of: call, id, Remark.tooLong(limit: limits.argumentBytes))
            }
            let signature = tool.name + " " + String(decoding: json, as: UTF8.self)
            if let same = earlier[signature] {
                return .answered(id: id, name: tool.name, text: Remark.repeated(same.id, result: same.text))
            }
            guard running < limits.callsPerRound else {
                return refusal(of: call, id, Remark.tooMany(limit: limits.callsPerRound))
            }
            running += 1
            earlier[signature] = (id, nil)
            return .run(CheckedCall(id: id, tool: tool, arguments: arguments, signature: signature))
        }
    }

    /// Keeps the result of a call for calls that repeat it, in the form in which the model read it.
    package mutating func record(_ text: String, for call: CheckedCall) {
        earlier[call.signature] = (call.id, text)
    }

    /// Forgets a call that failed, so that the model may try it again.
    package mutating func forget(_ call: CheckedCall) { earlier[call.signature] = nil }

    private func refusal(of call: ToolCall, _ id: String, _ text: String) -> ToolDecision {
        .refused(id: id, name: Excerpt.of(call.name), text: text)
    }

    /// The provider's id when it can be told from the others of the run, else one of our own.
    private mutating func uniqueID(_ id: String, place: Int) -> String {
        if (1...128).contains(id.utf8.count), usedIDs.insert(id).inserted { return id }
        var own = "call_\(rounds)_\(place + 1)"
        while !usedIDs.insert(own).inserted { own += "_" }
        return own
    }

    private func arguments(of call: ToolCall, for tool: Tool) throws(UnreadableArguments) -> ToolArguments {
        let value: JSONValue
        switch call.arguments {
        case .value(.string(let text)), .text(let text):
            value = try ArgumentText.value(of: text, maxBytes: limits.argumentBytes)
        case .value(let whole): value = whole
        }
        do {
            return try tool.arguments.arguments(from: value)
        } catch {
            throw UnreadableArguments(text: Remark.invalid(error, tool: tool.name))
        }
    }
}

import GatewayAPI

/// Decides how to handle the tool calls of one run, round by round.
///
/// Each run has its own value, which keeps the calls of earlier rounds and their results. Memory is bounded by
/// ``Limits/rounds`` × ``Limits/callsPerRound`` results.
package struct ToolCallReader: Sendable {
    /// The limits of a run's tool calls.
    package struct Limits: Sendable, Hashable {
        /// The maximum number of tool rounds; the request after the last round offers no tools.
        package var rounds = 3
        /// The maximum number of calls to carry out in a round; others are refused.
        package var callsPerRound = 8
        /// The maximum number of calls in a round that get a result; others are dropped.
        package var resultsPerRound = 32
        /// The maximum size of a call's arguments as JSON, in bytes.
        package var argumentBytes = 65_536

        /// Creates the limits of a chat.
        package init() {}
    }

    /// The tools that the run offers.
    package let tools: ToolRegistry
    /// The limits of the run.
    package let limits: Limits
    /// The number of rounds read.
    package private(set) var rounds = 0
    /// The id and result of each call by signature; the result is nil until recorded.
    private var earlier: [String: (id: String, text: String?)] = [:]
    private var usedIDs: Set<String> = []

    /// Creates a reader for a new run.
    package init(tools: ToolRegistry, limits: Limits = Limits()) {
        self.tools = tools
        self.limits = limits
    }

    /// Whether the next request to the model may offer tools.
    package var offersTools: Bool { rounds < limits.rounds && !tools.tools.isEmpty }

    /// Reads the calls of a round, in order.
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

    /// Stores the result of a call, as sent to the model, for calls that repeat it.
    package mutating func record(_ text: String, for call: CheckedCall) {
        earlier[call.signature] = (call.id, text)
    }

    /// Forgets a failed call, so that the model may retry it.
    package mutating func forget(_ call: CheckedCall) { earlier[call.signature] = nil }

    private func refusal(of call: ToolCall, _ id: String, _ text: String) -> ToolDecision {
        .refused(id: id, name: Excerpt.of(call.name), text: text)
    }

    /// The provider's id if it is unique in the run, else a new id.
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

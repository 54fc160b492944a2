/// The available tools. Immutable; keeps the order of its list, so that prompts and `tools/list` stay the same.
package struct ToolRegistry: Sendable {
    /// The maximum number of tools, OpenAI's limit.
    package static let toolLimit = 128

    /// The tools in their registered order.
    package let tools: [Tool]
    private let places: [String: Int]

    /// Checks and registers tools.
    ///
    /// - Throws: ``ToolRegistryError`` for the first invalid tool.
    package init(_ tools: [Tool]) throws(ToolRegistryError) {
        guard tools.count <= Self.toolLimit else { throw .tooMany(limit: Self.toolLimit) }
        var places: [String: Int] = [:]
        for (place, tool) in tools.enumerated() {
            guard Self.isValid(tool.name) else { throw .invalidName(tool.name) }
            guard places.updateValue(place, forKey: tool.name) == nil else { throw .duplicateName(tool.name) }
            guard case .object = tool.arguments.shape else {
                throw .invalidSchema(tool: tool.name, "the arguments are not an object")
            }
            if let flaw = tool.arguments.flaw() { throw .invalidSchema(tool: tool.name, flaw) }
        }
        self.init(checked: tools, places)
    }

    /// A registry without tools.
    package static let none = ToolRegistry(checked: [], [:])

    private init(checked tools: [Tool], _ places: [String: Int]) {
        self.tools = tools
        self.places = places
    }

    /// A part of a registry.
    private init(checked tools: [Tool]) {
        var places: [String: Int] = [:]
        for (place, tool) in tools.enumerated() { places[tool.name] = place }
        self.init(checked: tools, places)
    }

    /// The names of the tools, in order.
    package var names: [String] { tools.map(\.name) }

    /// The tool with a name; nil for an unknown one.
    package func tool(named name: String) -> Tool? { places[name].map { tools[$0] } }

    /// The tools that a caller may call, in order.
    ///
    /// - Parameters:
    ///   - writing: Whether to include tools that change data.
    ///   - subject: What the tools are about; nil for all.
    package func offered(to caller: ToolCaller, writing: Bool, about subject: Tool.Subject? = nil) -> ToolRegistry {
        ToolRegistry(
            checked: tools.filter {
                caller.mayCall($0) && (writing || !$0.writes) && (subject == nil || subject == $0.subject)
            })
    }

    /// The tools that a conversation may need, in order. Each occasion is decided once.
    ///
    /// - Parameter said: What the person has said in it, oldest first.
    package func needed(in said: [String]) async -> ToolRegistry {
        var decided: [ObjectIdentifier: Bool] = [:]
        for case let occasion? in tools.map(\.occasion) where decided[ObjectIdentifier(occasion)] == nil {
            decided[ObjectIdentifier(occasion)] = await occasion.isGiven(in: said)
        }
        return ToolRegistry(checked: tools.filter { $0.occasion.map { decided[ObjectIdentifier($0)] == true } ?? true })
    }

    private static func isValid(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

/// The error when a list of tools cannot be registered.
package enum ToolRegistryError: Error, Sendable, Hashable {
    /// Two tools have this name.
    case duplicateName(String)
    /// The name is empty, too long, or contains invalid characters.
    case invalidName(String)
    /// The schema of a tool's arguments is not an object, is nested too deeply, or refuses its own values. With the
    /// reason.
    case invalidSchema(tool: String, String)
    /// The list has more tools than the limit.
    case tooMany(limit: Int)
}

import GatewayAPI

/// The members of an object of a request, each with the path that errors name. Null counts as absent.
struct Fields {
    let place: JSONPlace
    /// The path of the object with a dot behind it; empty for the body.
    private let prefix: String

    init(_ place: JSONPlace) { (self.place, prefix) = (place, "") }

    private init(_ place: JSONPlace, prefix: String) { (self.place, self.prefix) = (place, prefix) }

    /// The path of a member.
    func path(_ name: String) -> String { prefix + name }

    func fault(_ name: String, _ reason: String) -> RequestFault { RequestFault(path(name), reason) }

    /// A member; nil when it is absent or null.
    subscript(name: String) -> JSONPlace? { place[name].flatMap { $0.isNull ? nil : $0 } }

    /// The first of several names that the object has; nil for none.
    func first(_ names: String...) -> String? { names.first { self[$0] != nil } }

    func text(_ name: String) throws(RequestFault) -> String? { try read(name, "a text") { $0.text } }

    func requiredText(_ name: String) throws(RequestFault) -> String {
        guard let text = try text(name), !text.isEmpty else { throw fault(name, "is required") }
        return text
    }

    func flag(_ name: String) throws(RequestFault) -> Bool? { try read(name, "true or false") { $0.flag } }

    func integer(_ name: String) throws(RequestFault) -> Int? { try read(name, "a whole number") { $0.integer } }

    /// A whole number of 1 or more.
    func positive(_ name: String) throws(RequestFault) -> Int? {
        try read(name, "a whole number of 1 or more") { place in place.count.flatMap { $0 > 0 ? $0 : nil } }
    }

    func number(_ name: String) throws(RequestFault) -> Double? { try read(name, "a number") { $0.number } }

    func object(_ name: String) throws(RequestFault) -> Fields? {
        try read(name, "an object") { $0.isObject ? Fields($0, prefix: path(name) + ".") : nil }
    }

    /// The elements of an array, which must be objects; empty when it is absent.
    func objects(_ name: String) throws(RequestFault) -> [Fields] {
        guard let elements = try read(name, "a list", { $0.elements }) else { return [] }
        var objects: [Fields] = []
        objects.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            guard element.isObject else { throw RequestFault("\(path(name))[\(index)]", "expected an object") }
            objects.append(Fields(element, prefix: "\(path(name))[\(index)]."))
        }
        return objects
    }

    /// The elements of an array of texts; empty when it is absent.
    func texts(_ name: String) throws(RequestFault) -> [String] {
        guard let elements = try read(name, "a list of texts", { $0.elements }) else { return [] }
        var texts: [String] = []
        for element in elements {
            guard let text = element.text else { throw fault(name, "expected a list of texts") }
            texts.append(text)
        }
        return texts
    }

    /// A text or a list of texts; empty when it is absent.
    func textOrTexts(_ name: String) throws(RequestFault) -> [String] {
        if let text = self[name]?.text { return [text] }
        return try texts(name)
    }

    /// A schema, which must be an object.
    func schema(_ name: String) throws(RequestFault) -> JSONSource? {
        try read(name, "a JSON Schema") { $0.isObject ? JSONSource($0) : nil }
    }

    /// Refuses members that would change the answer and cannot be kept. Empty values ask for nothing.
    func refuse(_ names: String..., because reason: String) throws(RequestFault) {
        for name in names {
            guard let value = self[name] else { continue }
            let isEmpty =
                value.flag == false || value.text == "" || value.elements?.isEmpty == true
                || (value.isObject && value.names.isEmpty)
            if !isEmpty { throw fault(name, reason) }
        }
    }

    /// Refuses a kind that is not known.
    func refusal(of name: String, expected: String) -> RequestFault {
        let word = self[name]?.text.map { "\"\($0.prefix(64))\"" } ?? "none"
        return fault(name, "expected \(expected), got \(word); models of this provider know no other")
    }

    private func read<Value>(
        _ name: String, _ expected: String, _ value: (JSONPlace) -> Value?
    ) throws(RequestFault) -> Value? {
        guard let place = self[name] else { return nil }
        guard let value = value(place) else { throw fault(name, "expected \(expected)") }
        return value
    }
}

extension Fields {
    /// Tools in the form that Ollama and OpenAI's chat completions share.
    func functionTools() throws(RequestFault) -> [ChatTool] {
        var tools: [ChatTool] = []
        for tool in try objects("tools") {
            guard try tool.text("type") ?? "function" == "function", let function = try tool.object("function") else {
                throw tool.refusal(of: "type", expected: "\"function\"")
            }
            tools.append(try function.tool(schema: "parameters"))
        }
        return tools
    }

    /// A tool whose name, purpose and schema are members of this object.
    func tool(schema name: String) throws(RequestFault) -> ChatTool {
        ChatTool(
            name: try requiredText("name"), summary: try text("description") ?? "",
            schema: try schema(name) ?? ChatTool.noParameters, isStrict: try flag("strict"))
    }

    /// A schema of an answer whose parts are members of this object.
    func answerSchema() throws(RequestFault) -> ChatFormat {
        guard let schema = try schema("schema") else { throw fault("schema", "is required") }
        return .schema(
            ChatSchema(
                schema, name: try text("name"), summary: try text("description"), isStrict: try flag("strict")))
    }
}

/// The names of calls by their ids: results name the call by its id only.
struct CallNames {
    private var names: [String: String] = [:]

    mutating func add(_ calls: [ChatCall]) { for call in calls where !call.id.isEmpty { names[call.id] = call.name } }

    subscript(id: String) -> String { names[id] ?? "" }
}

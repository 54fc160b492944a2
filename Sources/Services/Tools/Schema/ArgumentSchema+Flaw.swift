import GatewayAPI

extension ArgumentSchema {
    /// The first error of the schema itself: too deep nesting, repeated names, or a default or allowed value that the
    /// schema refuses. Nil for a valid schema.
    ///
    /// - Parameter depth: The number of objects and arrays around the schema.
    func flaw(at depth: Int = 0) -> String? {
        guard depth <= Self.depthLimit else { return "nested more than \(Self.depthLimit) levels deep" }
        for value in allowed + [defaultValue].compactMap({ $0 }) {
            var check = ArgumentCheck()
            guard check.value(value, self) == value else { return "\(Excerpt.of(value)) does not fit its own schema" }
        }
        switch shape {
        case .object(let properties, _):
            var names: Set<String> = []
            for property in properties {
                guard names.insert(property.name).inserted else { return "\"\(property.name)\" comes twice" }
                if let flaw = property.schema.flaw(at: depth + 1) { return "\"\(property.name)\": \(flaw)" }
            }
            return nil
        case .array(let element, _): return element.flaw(at: depth + 1)
        default: return nil
        }
    }
}

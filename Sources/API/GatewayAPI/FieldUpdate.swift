/// What a partial change does with one field: an absent field stays, `null` clears it, a value replaces it.
public enum FieldUpdate<Value: Codable & Sendable & Hashable>: Sendable, Hashable {
    /// The field was absent: what is stored stays.
    case keep
    /// The field was `null`: nothing is stored any more.
    case clear
    /// The field has a value.
    case set(Value)

    /// The new value; nil when the field stays or is cleared.
    public var value: Value? { if case .set(let value) = self { value } else { nil } }

    /// Whether the field stays as it is.
    public var isKeep: Bool { if case .keep = self { true } else { false } }

    /// Replaces the value within, with the same meaning.
    public func map<Other>(_ transform: (Value) throws -> Other) rethrows -> FieldUpdate<Other> {
        switch self {
        case .keep: .keep
        case .clear: .clear
        case .set(let value): .set(try transform(value))
        }
    }
}

extension KeyedDecodingContainer {
    /// Tells an absent field from one that is `null`.
    func update<Value>(_ type: Value.Type, forKey key: Key) throws -> FieldUpdate<Value> {
        guard contains(key) else { return .keep }
        return try decodeNil(forKey: key) ? .clear : .set(try decode(Value.self, forKey: key))
    }
}

extension FieldUpdate {
    /// This one, or another when this one says nothing: for fields that have two names.
    func or(_ other: @autoclosure () throws -> FieldUpdate) rethrows -> FieldUpdate {
        isKeep ? try other() : self
    }
}

extension KeyedEncodingContainer {
    /// Writes nothing for a field that stays.
    mutating func encode<Value>(_ update: FieldUpdate<Value>, forKey key: Key) throws {
        switch update {
        case .keep: break
        case .clear: try encodeNil(forKey: key)
        case .set(let value): try encode(value, forKey: key)
        }
    }
}

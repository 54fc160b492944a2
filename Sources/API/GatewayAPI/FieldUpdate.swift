/// The change of one field in a partial update: absent keeps it, `null` clears it, a value replaces it.
public enum FieldUpdate<Value: Codable & Sendable & Hashable>: Sendable, Hashable {
    /// The field was absent: the stored value stays.
    case keep
    /// The field was `null`: the stored value is removed.
    case clear
    /// The field has a new value.
    case set(Value)

    /// The new value; nil when the field stays or is cleared.
    public var value: Value? { if case .set(let value) = self { value } else { nil } }

    /// Whether the field keeps its value.
    public var isKeep: Bool { if case .keep = self { true } else { false } }

    /// Transforms the new value; keep and clear stay the same.
    public func map<Other>(_ transform: (Value) throws -> Other) rethrows -> FieldUpdate<Other> {
        switch self {
        case .keep: .keep
        case .clear: .clear
        case .set(let value): .set(try transform(value))
        }
    }
}

extension KeyedDecodingContainer {
    /// Decodes a field and distinguishes absent from `null`.
    func update<Value>(_ type: Value.Type, forKey key: Key) throws -> FieldUpdate<Value> {
        guard contains(key) else { return .keep }
        return try decodeNil(forKey: key) ? .clear : .set(try decode(Value.self, forKey: key))
    }
}

extension FieldUpdate {
    /// Returns this update, or `other` when this one is ``keep``: for fields with two names.
    func or(_ other: @autoclosure () throws -> FieldUpdate) rethrows -> FieldUpdate {
        isKeep ? try other() : self
    }
}

extension KeyedEncodingContainer {
    /// Encodes the update; writes nothing for ``FieldUpdate/keep``.
    mutating func encode<Value>(_ update: FieldUpdate<Value>, forKey key: Key) throws {
        switch update {
        case .keep: break
        case .clear: try encodeNil(forKey: key)
        case .set(let value): try encode(value, forKey: key)
        }
    }
}

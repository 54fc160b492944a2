extension KeyedDecodingContainer {
    /// Decodes a field that has two names: the gateway's own counts first. Both are looked at, so that a decoder that refuses
    /// unknown fields knows both.
    ///
    /// - Parameter alias: The same object by its other names.
    /// - Throws: `DecodingError`.
    func decodeIfPresent<Value: Decodable, Other: CodingKey>(
        _ type: Value.Type, forKey key: Key, or other: Other, in alias: KeyedDecodingContainer<Other>
    ) throws -> Value? {
        let second = try alias.decodeIfPresent(type, forKey: other)
        return try decodeIfPresent(type, forKey: key) ?? second
    }
}

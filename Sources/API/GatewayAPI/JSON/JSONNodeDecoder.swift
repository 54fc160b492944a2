extension JSONDocument {
    /// Decodes the whole text.
    ///
    /// - Throws: `DecodingError` with the path of the invalid value.
    package func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONNodeDecoder(document: self, index: 0, path: .root, asked: nil).decode(type)
    }

    /// Decodes the whole text and refuses members that nothing asked for, at every level.
    ///
    /// - Parameter tolerated: Names of members of the outermost object that are known and not read.
    /// - Throws: `DecodingError` with the path of the invalid value; ``UnknownMember``.
    package func decode<Value: Decodable>(
        _ type: Value.Type, refusingUnknownBut tolerated: Set<String>
    ) throws -> Value {
        let asked = AskedMembers()
        let decoder = JSONNodeDecoder(document: self, index: 0, path: .root, asked: asked)
        let value = try decoder.decode(type)
        // A type without members asks for none.
        if decoder.kind == .object { asked.opened(0, at: .root) }
        if let unknown = asked.firstUnknown(in: self, but: tolerated) { throw unknown }
        return value
    }
}

/// Decodes from a position in a ``JSONDocument``; copies only the requested values.
struct JSONNodeDecoder: Decoder {
    let document: JSONDocument
    let index: Int
    let path: JSONPath
    /// Records what is asked for; nil when nobody wants to know.
    let asked: AskedMembers?

    var codingPath: [any CodingKey] { path.keys }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    var kind: JSONDocument.Kind { document.nodes[index].kind }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try JSONKeyedContainer<Key>(self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try JSONUnkeyedContainer(self) }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    /// Returns the value with its descendants.
    func value() throws -> JSONValue {
        guard let value = document.value(at: index) else { throw corrupted("a text or a number in it cannot be read") }
        asked?.opened(index, at: path)
        asked?.askedForAll(of: index)
        return value
    }

    func mismatch(_ type: any Any.Type) -> DecodingError {
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: "the value is of another type")
        return kind == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    func corrupted(_ reason: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: codingPath, debugDescription: reason))
    }
}

extension JSONNodeDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { kind == .null }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }

    func decode(_ type: Bool.Type) throws -> Bool { try bool() }
    func decode(_ type: String.Type) throws -> String { try string() }
    func decode(_ type: Double.Type) throws -> Double { try float(type) }
    func decode(_ type: Float.Type) throws -> Float { try float(type) }
    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

    private func bool() throws -> Bool {
        switch kind {
        case .yes: return true
        case .no: return false
        default: throw mismatch(Bool.self)
        }
    }

    private func string() throws -> String {
        guard kind == .plain || kind == .escaped else { throw mismatch(String.self) }
        guard let text = document.text(at: index) else { throw corrupted("is not valid UTF-8 text") }
        return text
    }

    private func float<Number: LosslessStringConvertible & FloatingPoint>(_ type: Number.Type) throws -> Number {
        guard let number = document.float(type, at: index) else { throw mismatch(Double.self) }
        return number
    }

    private func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        guard let number = document.integer(type, at: index) else { throw mismatch(Int.self) }
        return number
    }
}

/// The path to a value; converted to coding keys only for errors.
indirect enum JSONPath {
    case root
    case name(String, JSONPath)
    case index(Int, JSONPath)

    var keys: [any CodingKey] {
        var keys: [any CodingKey] = []
        var path = self
        while true {
            switch path {
            case .root: return keys.reversed()
            case .name(let name, let parent):
                keys.append(JSONKey(stringValue: name))
                path = parent
            case .index(let index, let parent):
                keys.append(JSONKey(intValue: index))
                path = parent
            }
        }
    }
}

/// A member name or an array index in a ``JSONPath``.
struct JSONKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = "Index \(intValue)"
        self.intValue = intValue
    }
}

/// The members of an object. The first of several members with the same name counts.
struct JSONKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let decoder: JSONNodeDecoder
    private let members: [String: Int]

    init(_ decoder: JSONNodeDecoder) throws {
        guard decoder.kind == .object else { throw decoder.mismatch([String: Any].self) }
        var members: [String: Int] = [:]
        var places = decoder.document.children(of: decoder.index)
        while let place = places.next(), let member = places.next() {
            guard let name = decoder.document.text(at: place) else {
                throw decoder.corrupted("a name in it is not valid UTF-8 text")
            }
            if members.index(forKey: name) == nil { members[name] = member }
        }
        self.decoder = decoder
        self.members = members
        decoder.asked?.opened(decoder.index, at: decoder.path)
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] {
        decoder.asked?.askedForAll(of: decoder.index)
        // In the order of the text, so that of several faults the first one is named.
        return members.sorted { $0.value < $1.value }.compactMap { Key(stringValue: $0.key) }
    }

    func contains(_ key: Key) -> Bool {
        decoder.asked?.asked(for: key.stringValue, of: decoder.index)
        return members.index(forKey: key.stringValue) != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try member(key).decode(type) }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try member(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try member(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try member(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try member(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try member(key).decode(type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try member(key).decode(type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try member(key).decode(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try member(key).decode(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try member(key).decode(type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try member(key).decode(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try member(key).decode(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try member(key).decode(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try member(key).decode(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try member(key).decode(type) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try member(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { decoder }

    func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }

    private func member(_ key: Key) throws -> JSONNodeDecoder {
        decoder.asked?.asked(for: key.stringValue, of: decoder.index)
        guard let index = members[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key, DecodingError.Context(codingPath: codingPath, debugDescription: "the member is missing"))
        }
        return JSONNodeDecoder(
            document: decoder.document, index: index, path: .name(key.stringValue, decoder.path), asked: decoder.asked)
    }
}

/// The elements of an array, in order.
struct JSONUnkeyedContainer: UnkeyedDecodingContainer {
    private let decoder: JSONNodeDecoder
    private var place: Int
    private let end: Int
    private(set) var currentIndex = 0

    init(_ decoder: JSONNodeDecoder) throws {
        guard decoder.kind == .array else { throw decoder.mismatch([Any].self) }
        self.decoder = decoder
        place = decoder.index + 1
        end = Int(decoder.document.nodes[decoder.index].next)
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { nil }
    var isAtEnd: Bool { place >= end }

    mutating func decodeNil() throws -> Bool {
        let isNull = try element().decodeNil()
        if isNull { advance() }
        return isNull
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try take { try $0.decode(type) } }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try take { try $0.decode(type) } }
    mutating func decode(_ type: String.Type) throws -> String { try take { try $0.decode(type) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try take { try $0.decode(type) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try take { try $0.decode(type) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try take { try $0.decode(type) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try take { try $0.decode(type) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try take { try $0.decode(type) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try take { try $0.decode(type) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try take { try $0.decode(type) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try take { try $0.decode(type) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try take { try $0.decode(type) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try take { try $0.decode(type) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try take { try $0.decode(type) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try take { try $0.decode(type) } }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { try take { try $0.container(keyedBy: type) } }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try take { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try take { $0 } }

    private func element() throws -> JSONNodeDecoder {
        let element = JSONNodeDecoder(
            document: decoder.document, index: place, path: .index(currentIndex, decoder.path),
            asked: decoder.asked)
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Any.self,
                DecodingError.Context(
                    codingPath: element.codingPath, debugDescription: "the array has no more elements"))
        }
        return element
    }

    private mutating func take<Value>(_ decode: (JSONNodeDecoder) throws -> Value) throws -> Value {
        let value = try decode(element())
        advance()
        return value
    }

    private mutating func advance() {
        place = Int(decoder.document.nodes[place].next)
        currentIndex += 1
    }
}

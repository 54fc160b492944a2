extension ChatRunEvent {
    /// The kind of an event: its name on the wire.
    public enum Kind: String, Codable, Sendable, Hashable, CaseIterable {
        case state, search, passages, tool, delta, citation, usage, snapshot, done, failed

        /// Whether a reader that skips such an event misses nothing that later events need.
        var isOptional: Bool {
            switch self {
            case .delta, .snapshot, .done, .failed: false
            default: true
            }
        }
    }

    /// The kind of the event.
    public var kind: Kind {
        switch content {
        case .state: .state
        case .search: .search
        case .passages: .passages
        case .tool: .tool
        case .delta: .delta
        case .citation: .citation
        case .usage: .usage
        case .snapshot: .snapshot
        case .done: .done
        case .failed: .failed
        }
    }

    /// Whether no event follows.
    public var isLast: Bool { kind == .done || kind == .failed }

    /// Decodes a server-sent event.
    ///
    /// - Returns: nil for an unknown kind, and for data that this version cannot read and a reader can do without.
    /// - Throws: `DecodingError` or ``JSONRefusal`` for text or an end that cannot be read.
    package init?(id: String?, name: String, json: [UInt8]) throws {
        guard let kind = Kind(rawValue: name) else { return nil }
        do {
            let document = try JSONDocument(parsing: json)
            self.init(id: id, try Content(kind, from: DocumentSource(document: document)))
        } catch {
            guard !kind.isOptional else { return nil }
            throw error
        }
    }

    private struct DocumentSource: EventDataSource {
        let document: JSONDocument
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try document.decode(type) }
    }

    private enum CodingKeys: String, CodingKey { case id, event, data }

    private struct ContainerSource: EventDataSource {
        let container: KeyedDecodingContainer<CodingKeys>
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try container.decode(type, forKey: .data) }
    }

    /// Decodes an event with its kind.
    ///
    /// - Throws: `DecodingError`, also for an unknown kind.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decodeIfPresent(String.self, forKey: .id)
        content = try Content(
            try container.decode(Kind.self, forKey: .event), from: ContainerSource(container: container))
    }

    /// Encodes an event with its kind.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(id, forKey: .id)
        try container.encode(kind, forKey: .event)
        switch content {
        case .state(let data): try container.encode(data, forKey: .data)
        case .search(let data): try container.encode(data, forKey: .data)
        case .passages(let data): try container.encode(PassageList(passages: data), forKey: .data)
        case .tool(let data): try container.encode(data, forKey: .data)
        case .delta(let data): try container.encode(data, forKey: .data)
        case .citation(let data): try container.encode(data, forKey: .data)
        case .usage(let data): try container.encode(data, forKey: .data)
        case .snapshot(let data): try container.encode(data, forKey: .data)
        case .done(let data), .failed(let data): try container.encode(data, forKey: .data)
        }
    }
}

/// Where the data of an event is.
private protocol EventDataSource {
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value
}

/// The data of `passages`.
private struct PassageList: Codable {
    var passages: [ChatPassage]
}

extension ChatRunEvent.Content {
    fileprivate init(_ kind: ChatRunEvent.Kind, from source: some EventDataSource) throws {
        switch kind {
        case .state: self = .state(try source.decode(ChatRunEvent.Progress.self))
        case .search: self = .search(try source.decode(ChatSearch.self))
        case .passages: self = .passages(try source.decode(PassageList.self).passages)
        case .tool: self = .tool(try source.decode(ChatToolUse.self))
        case .delta: self = .delta(try source.decode(ChatRunEvent.Delta.self))
        case .citation: self = .citation(try source.decode(ChatRunEvent.Verdicts.self))
        case .usage: self = .usage(try source.decode(ChatTokens.self))
        case .snapshot: self = .snapshot(try source.decode(ChatRunEvent.Snapshot.self))
        case .done: self = .done(try source.decode(ChatRunEvent.End.self))
        case .failed: self = .failed(try source.decode(ChatRunEvent.End.self))
        }
    }
}

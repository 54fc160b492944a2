import GatewayAPI

/// The result of a method, before it takes the form of the client's revision.
struct MCPResult: Sendable {
    /// How long a client may keep a result.
    enum Caching: Sendable {
        /// Not at all.
        case stale
        /// So many milliseconds, within the same key.
        case own(Int64)
        /// So many milliseconds, for every key.
        case shared(Int64)
    }

    var members: [String: JSONValue]
    /// Nil for a result that stateless revisions do not cache either.
    var caching: Caching?

    init(_ members: [String: JSONValue], _ caching: Caching? = nil) {
        self.members = members
        self.caching = caching
    }

    func json(for revision: MCPRevision, by server: JSONValue) -> JSONValue {
        guard revision.isStateless else { return .object(members) }
        var members = members
        members["resultType"] = .string("complete")
        members["_meta"] = .object(["io.modelcontextprotocol/serverInfo": server])
        switch caching {
        case nil: break
        case .stale?: (members["ttlMs"], members["cacheScope"]) = (.integer(0), .string("private"))
        case .own(let time)?: (members["ttlMs"], members["cacheScope"]) = (.integer(time), .string("private"))
        case .shared(let time)?: (members["ttlMs"], members["cacheScope"]) = (.integer(time), .string("public"))
        }
        return .object(members)
    }
}

/// The parameters of a call, read with checks.
struct MCPParams: Sendable {
    let members: [String: JSONValue]

    /// A text that must be present.
    func text(_ name: String) throws(RPCError) -> String {
        guard case .string(let text)? = members[name] else {
            throw RPCError(.invalidParams, "params.\(name): expected a string")
        }
        return text
    }

    /// A text; nil when it is absent.
    func textIfPresent(_ name: String) throws(RPCError) -> String? {
        guard let value = members[name], value != .null else { return nil }
        guard case .string(let text) = value else {
            throw RPCError(.invalidParams, "params.\(name): expected a string")
        }
        return text
    }

    /// The members of an object; empty when it is absent.
    func object(_ name: String) throws(RPCError) -> [String: JSONValue] {
        guard let value = members[name], value != .null else { return [:] }
        guard case .object(let object) = value else {
            throw RPCError(.invalidParams, "params.\(name): expected an object")
        }
        return object
    }

    /// Rejects a cursor of a list that has one page.
    func requireFirstPage() throws(RPCError) {
        guard try textIfPresent("cursor") == nil else {
            throw RPCError(.invalidParams, "params.cursor: not a cursor of this list")
        }
    }
}

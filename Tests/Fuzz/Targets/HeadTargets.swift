import Foundation
import HTTPTypes
import Inference
import Transport

@testable import Access
@testable import Gateway
@testable import LLM
@testable import Search
@testable import Server

/// Heads of requests and responses: which headers cross the gateway, and who may ask.
enum HeadTargets {
    private static func pairs(_ input: inout Input) -> [(name: String, value: String)] {
        var pairs: [(String, String)] = []
        while !input.rest.isEmpty, pairs.count < 64 {
            let line = input.piece(upTo: UInt8(ascii: "\n"))
            let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.dropFirst().first ?? []
            pairs.append((String(decoding: parts[0], as: UTF8.self), String(decoding: value, as: UTF8.self)))
        }
        return pairs
    }

    /// Nothing of one hop, and no key, crosses; what crosses is what came.
    static let headers: FuzzBody = { bytes in
        var input = Input(bytes)
        let pairs = pairs(&input)
        var fields = HTTPFields()
        for (name, value) in pairs {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        let sent = ProxyHeaders.forUpstream(fields)
        let forbidden = ProxyHeaders.hopByHop.union(["authorization", "x-api-key", "host", "origin", "content-length"])
        for (name, value) in sent {
            promise(!forbidden.contains(name.lowercased()), "\(name) crosses")
            promise(fields.contains { $0.name.rawName == name && $0.value == value }, "\(name) is new")
            promise(!value.unicodeScalars.contains { $0 == "\r" || $0 == "\n" || $0 == "\0" }, "\(name) has two lines")
        }
        let back = try? ProxyHeaders.forClient(UpstreamResponseHead(status: 200, headers: pairs), of: "Ollama")
        for field in back ?? [:] {
            promise(!ProxyHeaders.hopByHop.contains(field.name.canonicalName), "\(field.name) comes back")
        }
        let framing = RequestFraming(fields)
        if let length = framing.length { promise(fields[.contentLength] != nil, "\(length) comes from nowhere") }
    }

    /// Only addresses of this machine are local, and a listed pattern allows no other scheme or host.
    static let origins: FuzzBody = { bytes in
        var input = Input(bytes)
        let list = String(decoding: input.piece(upTo: UInt8(ascii: "\n")), as: UTF8.self)
        let origin = input.text
        if Authority(origin)?.isLoopback == true {
            let lower = origin.lowercased()
            promise(
                lower.hasPrefix("127.") || lower.hasPrefix("localhost") || lower.contains(".localhost")
                    || lower.hasPrefix("[") || lower.hasPrefix("::1"), "\(origin) is this machine")
        }
        guard let rules = OriginRules(list) else { return }
        if rules.allows(origin, needsKeys: false) {
            promise(OriginRules.isLocal(origin), "\(origin) is allowed without keys")
        }
        if rules.allows(origin, needsKeys: true), !OriginRules.isLocal(origin), !list.contains("*") {
            let entries = list.lowercased().split(separator: ",").map { $0.filter { !$0.isWhitespace } }
            promise(entries.contains(origin.lowercased()), "\(origin) is not in \(list)")
        }
    }
}

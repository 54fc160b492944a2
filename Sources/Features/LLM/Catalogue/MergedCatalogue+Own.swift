import GatewayAPI
import Inference
import NIOCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension MergedCatalogue {
    /// Adds models of the gateway's own behind all others.
    func adding(_ names: [String], to list: ByteBuffer) -> ByteBuffer {
        // The list was written by `merge`, so it ends with the list's bracket.
        guard let end = list.readableBytesView.lastIndex(of: UInt8(ascii: "]")) else { return list }
        let known = Set(self.names(in: list).map(ModelName.canonical))
        let entries = names.filter { !known.contains(ModelName.canonical($0)) }.map {
            entry($0, of: "selene", since: Self.since)
        }
        guard !entries.isEmpty else { return list }
        let head = list.readableBytesView[..<end]
        var all = ByteBuffer(bytes: head)
        for entry in entries {
            if !known.isEmpty || entry != entries[0] { all.writeStaticString(",") }
            all.writeBytes(entry)
        }
        all.writeBytes(list.readableBytesView[end...])
        return all
    }

    /// A list of models of other owners, which are older than all others.
    func list(of names: [String], owner: (String) -> String) -> Data {
        var list = Data((path == "/v1/models" ? #"{"object":"list","data":["# : #"{"models":["#).utf8)
        for (index, name) in names.enumerated() {
            if index > 0 { list.append(UInt8(ascii: ",")) }
            list.append(contentsOf: entry(name, of: owner(name), since: 0))
        }
        list.append(contentsOf: Array("]}".utf8))
        return list
    }

    /// The entry of a model: its size is nothing, and its digest is made of its name, since clients cut digests.
    private func entry(_ name: String, of owner: String, since: Int64) -> [UInt8] {
        let model = JSONValue.string(name)
        guard path != "/v1/models" else {
            return JSONValue.object([
                "id": model, "object": .string("model"), "created": .integer(since), "owned_by": .string(owner),
            ]).json
        }
        return JSONValue.object([
            "name": model, "model": model, "modified_at": .string(Self.text(of: since)), "size": .integer(0),
            "digest": .string(Self.digest(name)),
            "details": .object([
                "parent_model": .string(""), "format": .string(""), "family": .string(owner),
                "families": .array([.string(owner)]), "parameter_size": .string(""),
                "quantization_level": .string(""),
            ]),
        ]).json
    }

    private static let since = Int64(Date.now.timeIntervalSince1970)
    private static func text(of time: Int64) -> String {
        Date(timeIntervalSince1970: Double(time)).formatted(.iso8601)
    }

    /// 64 hexadecimal digits: FNV-1a of the name, with four beginnings.
    private static func digest(_ name: String) -> String {
        (0..<4).map { part in
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325 &+ UInt64(part)
            for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
            let digits = String(hash, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

import Inference
import NIOCore
import Transport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Merges the model lists of several endpoints and adds aliases.
///
/// Entries are unchanged, byte for byte. If several endpoints have a model, the entry that sorts first is kept.
struct MergedCatalogue: Sendable {
    /// A route that lists models.
    let path: String
    /// The JSON member with the list.
    private let list: String
    /// The JSON member with a model's name.
    private let name: String
    /// The JSON member by which Ollama sorts, latest first.
    private let order: String

    /// Creates the list of a route; nil for routes that list no models.
    init?(path: String) {
        self.path = path
        switch path {
        case "/api/tags": (list, name, order) = ("models", "name", "modified_at")
        case "/api/ps": (list, name, order) = ("models", "name", "expires_at")
        case "/v1/models": (list, name, order) = ("data", "id", "created")
        default: return nil
        }
    }

    /// The timeout until an endpoint begins its list.
    static let timeout = Duration.seconds(5)
    /// The largest list of one endpoint, in bytes.
    static let limit = 16 << 20

    /// Requests the list of every endpoint and merges them. Endpoints that do not answer are left out.
    ///
    /// - Parameter more: Another list, whose models come last; nil for none. Without Ollama, it is the whole list.
    func list(
        of pool: EndpointPool, aliases: [String: String], with more: Data? = nil
    ) async -> Result<ByteBuffer, UpstreamError> {
        do throws(UpstreamError) {
            var bodies: [Data] = []
            do throws(UpstreamError) {
                bodies = try await pool.gather(path, within: Self.timeout, limit: Self.limit).map(\.body)
            } catch {
                guard more != nil else { throw error }
            }
            return .success(ByteBuffer(bytes: try merge(bodies + (more.map { [$0] } ?? []), aliases: aliases)))
        } catch {
            return .failure(error)
        }
    }

    /// A merged list with only the models that a predicate accepts, for a key that is limited to some models.
    func shortened(
        _ list: Result<ByteBuffer, UpstreamError>, to isShown: (String) -> Bool
    ) -> Result<ByteBuffer, UpstreamError> {
        list.flatMap { list in
            do throws(UpstreamError) {
                return .success(ByteBuffer(bytes: try merge([Data(list.readableBytesView)], aliases: [:], isShown)))
            } catch {
                return .failure(error)
            }
        }
    }

    /// The names of a list's models, in its order.
    ///
    /// - Parameter chatOnly: Whether to leave out models of which the list says that they do not chat.
    func names(in body: ByteBuffer, chatOnly: Bool = false) -> [String] {
        let models = JSONSlice(whole: Data(body.readableBytesView))?[list]?.elements ?? []
        return models.compactMap { model in
            let abilities = chatOnly ? model["capabilities"]?.elements : nil
            return abilities?.contains { $0.text == "completion" } ?? true ? model[name]?.text : nil
        }
    }

    private struct Entry {
        var name: String
        var time: Date
        /// The place among all entries: of models with the same time, Ollama's order stays.
        var place: Int
        var json: JSONSlice
    }

    /// Merges lists. An alias follows its model, as a copy under another name.
    ///
    /// - Throws: ``UpstreamError`` when no body is a list of models.
    func merge(
        _ bodies: [Data], aliases: [String: String], _ isShown: (String) -> Bool = { _ in true }
    ) throws(UpstreamError) -> Data {
        let lists = bodies.compactMap { JSONSlice(whole: $0)?[list] }
        guard !lists.isEmpty else {
            throw UpstreamError(.invalidResponse, "Ollama's answer to \(path) is not the JSON expected")
        }
        var entries: [String: Entry] = [:]
        for (place, element) in lists.flatMap({ $0.elements ?? [] }).enumerated() {
            guard let name = element[name]?.text else { continue }
            let entry = Entry(
                name: name, time: element[order].flatMap(Self.time) ?? .distantPast, place: place, json: element)
            if let known = entries[name], known.time >= entry.time { continue }
            entries[name] = entry
        }
        var sorted = entries.values.sorted { ($1.time, $0.place) < ($0.time, $1.place) }
        for (alias, real) in aliases.sorted(by: { $0.key > $1.key }) {
            guard let index = sorted.firstIndex(where: { ModelName.canonical($0.name) == ModelName.canonical(real) })
            else {
                continue
            }
            let shown = ModelName.full(alias)
            var copy = sorted[index]
            copy.name = shown
            copy.json = copy.json.replacing(name, with: shown).replacing("model", with: shown)
            if !sorted.contains(where: { $0.name == shown }) { sorted.insert(copy, at: index + 1) }
        }
        sorted.removeAll { !isShown($0.name) }
        var body = Data((path == "/v1/models" ? #"{"object":"list","data":["# : #"{"models":["#).utf8)
        for (index, entry) in sorted.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body.append(contentsOf: entry.json.bytes)
        }
        body.append(contentsOf: Array((path == "/v1/models" ? "]}\n" : "]}").utf8))
        return body
    }

    /// Parses a time in Go's format, or seconds since 1970.
    private static func time(_ json: JSONSlice) -> Date? {
        guard let text = json.text else {
            return Double(String(decoding: json.bytes, as: UTF8.self)).map { Date(timeIntervalSince1970: $0) }
        }
        // The parser rejects nanoseconds, so the zone is split from them first.
        let whole = text.prefix { $0 != "." }
        let rest = text.dropFirst(whole.count)
        let fraction = rest.dropFirst().prefix { $0.isNumber }
        let zone = rest.drop { $0 == "." || $0.isNumber }
        guard let time = try? Date(String(whole + zone), strategy: .iso8601) else { return nil }
        return time + (Double("0." + fraction) ?? 0)
    }
}

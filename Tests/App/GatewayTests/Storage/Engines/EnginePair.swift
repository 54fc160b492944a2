import Database
import Foundation
import GatewayAPI
import GatewayTestSupport
import TestSupport
import Testing

/// A gateway over a file and one over PostgreSQL that get the same requests.
struct EnginePair {
    let file: LiveGateway
    let postgres: LiveGateway
    let token: String
    var comparison = AnswerComparison()

    private var authorization: [(name: String, value: String)] { [("Authorization", "Bearer \(token)")] }

    /// Switches off the notifications that a gateway makes by itself, some time after what they tell of.
    func switchOffTriggers() async throws {
        for gateway in [file, postgres] {
            let known = try await gateway.request("GET", "/api/v1/triggers", headers: authorization)
            let names = (known.object["triggers"] as? [String: Any] ?? [:]).keys
            let body = names.map { name in #""\#(name)":{"enabled":false}"# }.joined(separator: ",")
            let reply = try await gateway.request(
                "PUT", "/api/v1/triggers", #"{"triggers":{\#(body)}}"#, headers: authorization)
            try #require(reply.status == 200 && !names.isEmpty, "\(reply.text)")
        }
    }

    /// Sends a request to both gateways, and waits for the work that it started.
    ///
    /// - Returns: How the answers differ; nil when they do not.
    mutating func send(_ request: RandomRequests.Request) async throws -> String? {
        // Rows are ordered by seconds: no second may end between the two requests.
        let now = Date.now.timeIntervalSince1970
        let rest = now.rounded(.up) - now
        if rest < 0.2 { try await Task.sleep(for: .seconds(rest + 0.01)) }
        if request.operation.path.contains(#/^\/api\/jobs|\/compute$|\/compress$/#) { try await waitForSameJobs() }
        let first = try await answer(request, in: .file)
        let second = try await answer(request, in: .postgres)
        try await waitForWork(of: request.operation)
        var differences: [String] = []
        if first.status != second.status { differences.append("status \(first.status) and \(second.status)") }
        if first.status >= 500 { differences.append("a server error") }
        let answers = [first, second].map { Self.content($0.data, of: request.operation) }
        if differences.isEmpty { differences = comparison.differences(answers[0], answers[1]) }
        guard !differences.isEmpty else {
            if first.status < 300 { comparison.keep(answers[0], of: request.operation.path) }
            return nil
        }
        let sent = comparison.pairs.text("\(request.path) \(request.body ?? "")", in: .file)
        return """
            \(request.operation.method) \(sent.prefix(2000))
            \(differences.prefix(8).joined(separator: "\n"))
            the file: \(first.text.prefix(600))
            PostgreSQL: \(second.text.prefix(600))
            """
    }

    private func answer(_ request: RandomRequests.Request, in place: NotesPlace) async throws -> LiveGateway.Reply {
        func text(_ marked: String) -> String { comparison.pairs.text(marked, in: place) }
        return try await (place == .file ? file : postgres).request(
            request.operation.method, text(request.path), request.body.map(text),
            headers: request.headers.map { ($0.name, text($0.value)) } + authorization)
    }

    /// Gateways begin some jobs by themselves, a moment after what they are for. They are counted as others are.
    private func waitForSameJobs() async throws {
        var jobs: [[[String: Any]]] = []
        let areSame = try await eventually(within: .seconds(60)) {
            jobs = []
            for gateway in [file, postgres] {
                let reply = try await gateway.request("GET", "/api/jobs?limit=100", headers: authorization)
                jobs.append(reply.objects("jobs"))
            }
            return jobs[0].count == jobs[1].count
        }
        let kinds = jobs.map { $0.map { "\($0["kind"] ?? "") \($0["message"] ?? "")" } }
        try #require(areSame, "the file has the jobs \(kinds[0]), PostgreSQL \(kinds[1])")
    }

    /// Waits until jobs, answers and books that a request began are done in both gateways.
    private func waitForWork(of operation: RandomRequests.Operation) async throws {
        guard operation.method == "POST" else { return }
        for (path, list, ended) in [
            ("/api/jobs", "jobs", ["done", "failed", "cancelled", "interrupted"]),
            ("/api/chat/runs", "runs", ["done", "failed", "stopped", "interrupted"]),
            ("/api/books", "books", ["ready", "failed"]),
        ]
        where operation.path.hasPrefix(path)
            || list == "jobs" && operation.path.contains(#/^\/api\/chat\/runs|\/compute$|\/compress$/#)
        {
            for gateway in [file, postgres] {
                var open: [[String: Any]] = []
                let isDone = try await eventually(within: .seconds(60)) {
                    let reply = try await gateway.request("GET", path + "?limit=100", headers: authorization)
                    open = reply.objects(list).filter { !ended.contains($0["state"] as? String ?? "") }
                    return open.isEmpty
                }
                try #require(isDone, "\(gateway.store.dialect) does not end \(list): \(open)")
            }
        }
        guard operation.path.hasSuffix("/compress") else { return }
        var states: [[String]] = []
        let areSame = try await eventually(within: .seconds(60)) {
            states = []
            for gateway in [file, postgres] {
                let reply = try await gateway.request("GET", "/api/sessions?limit=500", headers: authorization)
                states.append(reply.objects("sessions").map { $0["compression_state"] as? String ?? "" })
            }
            return states[0] == states[1]
        }
        try #require(areSame, "compressions in the file: \(states[0]), in PostgreSQL: \(states[1])")
    }

    /// An answer without what differs for a known reason.
    private static func content(_ data: Data, of operation: RandomRequests.Operation) -> JSONValue {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: data) else {
            // Lines of JSON, a calendar, or a table.
            return .array(
                data.split(separator: UInt8(ascii: "\n")).map { line in
                    let value = try? JSONDecoder().decode(JSONValue.self, from: Data(line))
                    return value ?? .string(String(decoding: line, as: UTF8.self))
                })
        }
        guard case .object(var members) = value else { return value }
        switch operation.path {
        case "/api/chat/runs" where operation.method == "POST":
            // How far it is while the answer is made.
            for name in ["state", "progress", "place", "record"] { members[name] = nil }
        case "/api/v1/deliveries/{id}/explain":
            // Deliveries are tried in the background, and all events are counted together.
            members["events"] = members["events"].map { .array($0.elements.map { without("id", $0) }) }
        case "/api/books" where operation.method == "POST", "/api/books/{id}/retry":
            // The book is being read meanwhile.
            members = members.filter { ["id", "error", "code"].contains($0.key) }
        case let path where path.hasPrefix("/api/jobs") || path.hasSuffix("/compute"):
            // How often its progress was written.
            members = job(value).members
            members["jobs"] = members["jobs"].map { .array($0.elements.map(job)) }
        case let path where path.hasPrefix("/api/admin/spaces"):
            // The queue of a file has notes of test runs until a worker meets them.
            members["spaces"] = .array(members["spaces", default: .null].elements.map { without("waiting", $0) })
        case "/api/briefing/associations":
            // Its digits are those of the last similarity, see AnswerComparison.
            members["next_cursor"] = nil
        case let path where path.hasPrefix("/api/threads"):
            // In PostgreSQL that of the notes, in a file what another program wrote: see Scale.md. It orders the list.
            members = without("last_activity_at", value).members
            members["next_cursor"] = nil
            members["threads"] = members["threads"].map { threads in
                .array(
                    threads.elements.map { without("last_activity_at", $0) }.sorted {
                        $0.json.lexicographicallyPrecedes($1.json)
                    })
            }
        case let path
        where members["results"] != nil && path.hasSuffix("retrieve") || path == "/api/search"
            || path.contains("related"):
            // The last digits of scores may decide the order of two results, see AnswerComparison.
            members["results"] = members["results"].map { results in
                .array(results.elements.sorted { $0["id"].json.lexicographicallyPrecedes($1["id"].json) })
            }
        default: break
        }
        return .object(members)
    }

    private static func job(_ value: JSONValue) -> JSONValue {
        let job = without("revision", value)
        return job["state"] == .string("done") ? job : without("done", job)
    }

    private static func without(_ name: String, _ value: JSONValue) -> JSONValue {
        var members = value.members
        members[name] = nil
        return .object(members)
    }
}

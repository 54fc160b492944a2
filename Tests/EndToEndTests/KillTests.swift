import FakeOllama
import Foundation
import GRDB
import Inference
import NIOCore
import Storage
import Synchronization
import Testing
import Transport

/// `kill -9` of a gateway, whatever it does: what was promised is there afterwards, and the next one goes on.
@Suite(.serialized) struct Kills {
    typealias Child = KeysOfSeveralProcesses.Child

    enum Moment: String, CaseIterable, Sendable {
        case idle, streaming, uploading, writingNotes, writingIndexFile, backfilling, job, switchingSpaces
    }

    /// What a gateway had promised when it was killed.
    private final class Promises: Sendable {
        private let titles = Mutex<Set<String>>([])
        var all: Set<String> { titles.withLock { $0 } }
        func keep(_ title: String) { titles.withLock { _ = $0.insert(title) } }
    }

    private func settings(_ moment: Moment) -> [String: String] {
        switch moment {
        case .backfilling: [:]
        case .switchingSpaces: ["SELENE_EMBED_MODEL": "all-minilm"]
        default: ["SELENE_BACKFILL": "off"]
        }
    }

    private func request(
        _ child: Child, _ method: String, _ path: String, _ body: String? = nil
    ) async throws -> LiveGateway.Reply {
        let client = try UpstreamTransport(configuration: UpstreamConfiguration(host: "127.0.0.1:\(child.port)"))
        defer { Task { await client.shutdown(within: .zero) } }
        let response = try await client.send(
            UpstreamRequest(method: method, path: path, body: body.map { ByteBuffer(string: $0) }))
        let data = try await response.body.collect(upTo: 64 << 20)
        return LiveGateway.Reply(status: response.status, head: response.head, data: Data(data.readableBytesView))
    }

    private func until(_ condition: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(30)
        while try await !condition() {
            try #require(ContinuousClock.now < end)
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Brings a gateway into a state, and comes back while it is in it.
    private func enter(
        _ moment: Moment, _ child: Child, _ fake: FakeOllama, _ home: CommandLineTool.Home, _ promises: Promises,
        _ group: inout ThrowingTaskGroup<Void, any Error>
    ) async throws {
        let port = child.port
        switch moment {
        case .idle: return
        case .streaming:
            let body = #"{"model":"llama3.2","prompt":"x","options":{"num_predict":100000}}"#
            group.addTask { _ = try await request(child, "POST", "/api/generate", body) }
            group.addTask {
                _ = try await request(child, "POST", "/api/llm/generate", #"{"prompt":"x","stream":true}"#)
            }
            #expect(await fake.waitUntil { $0.bytesWritten > 2000 })
        case .uploading:
            let upload = try RawClient(port: port)
            try upload.send("POST /api/blobs/sha256:00 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000000\r\n\r\n")
            upload.sendInBackground([UInt8](repeating: 7, count: 4 << 20)) { _ in }
            #expect(await fake.waitUntil { $0.bytesUploaded > 1 << 20 })
        case .writingNotes:
            // So many that several share each transaction.
            for writer in 0..<24 {
                group.addTask {
                    for number in 0..<10_000 {
                        let title = "promised \(writer)-\(number)"
                        let body = #"{"title":"\#(title)","content":"text 潮"}"#
                        guard try await request(child, "POST", "/api/notes", body).status == 201 else { return }
                        promises.keep(title)
                    }
                }
            }
            try await until { promises.all.count > 60 }
        case .writingIndexFile:
            let folder = home.database + ".index"
            try await until {
                ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).contains {
                    $0.hasSuffix(".new") || $0.hasSuffix(".index")
                }
            }
        case .backfilling: #expect(await fake.waitUntil { $0.embedBatches.count > 3 })
        case .job:
            #expect(try await request(child, "POST", "/api/jobs/backfill").status == 202)
            #expect(await fake.waitUntil { $0.embedBatches.count > 3 })
        case .switchingSpaces:
            // The last vectors of the new space have just been given; they are stored, and then it is switched to.
            let notes = try await GatewayDatabase(path: home.database).notes.count()
            #expect(await fake.waitUntil { $0.embedBatches.reduce(0, +) > notes })
        }
    }

    @Test(arguments: Moment.allCases)
    func `a gateway that is killed comes back with all that it had promised`(moment: Moment) async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 200
        options.latency = [.backfilling, .job, .switchingSpaces].contains(moment) ? 0.05 : 0
        try await FakeOllama.withServer(options) { fake in
            let home = try CommandLineTool.Home()
            let ollama = ["OLLAMA_HOST": fake.baseURL]
            let count = moment == .writingIndexFile ? 3000 : 120
            _ = try await home.run(["ingest", try home.writeNotes(count)])
            if moment == .switchingSpaces {
                #expect(try await home.run(["backfill"], ollama).status == 0)
                fake.reset()
            }
            let promises = Promises()
            for number in 0..<count { promises.keep("note \(number)") }
            let settings = settings(moment)
            try await Child.with(home, ollama: fake.baseURL, settings) { child in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    try await enter(moment, child, fake, home, promises, &group)
                    try await child.end(SIGKILL)
                    // Their connections are cut.
                    while let result = await group.nextResult() { _ = result }
                }
            }
            #expect(await fake.waitUntil { $0.inFlight == 0 })
            #expect(try integrity(of: home.database) == "ok")
            if FileManager.default.fileExists(atPath: home.database + ".cache") {
                #expect(try integrity(of: home.database + ".cache") == "ok")
            }
            let raw = try DatabaseQueue(path: home.database)
            let stored = try await raw.read { try String.fetchAll($0, sql: "SELECT title FROM raw_notes") }
            try raw.close()
            #expect(promises.all.subtracting(stored) == [])
            #expect(stored.count == Set(stored).count)

            try await Child.with(home, ollama: fake.baseURL, settings) { child in
                #expect(try await request(child, "GET", "/health").status == 200)
                #expect(try await request(child, "POST", "/api/llm/generate", #"{"prompt":"x"}"#).status == 200)
                let asked = try await request(
                    child, "POST", "/api/notes/retrieve", #"{"keywords":["潮 71"],"limit":100}"#)
                let expected = stored.filter { title in title.hasPrefix("note 71") }
                let found = asked.objects("results").compactMap { $0["title"] as? String }
                #expect(found.sorted() == expected.sorted(), "\(asked.text.prefix(300))")
                if moment == .job {
                    let job = try await request(child, "GET", "/api/jobs/1")
                    #expect(job.object["state"] as? String == "interrupted", "\(job.text)")
                    #expect(try await request(child, "POST", "/api/jobs/1/resume").status == 202)
                    try await until {
                        try await request(child, "GET", "/api/jobs/1").object["state"] as? String == "done"
                    }
                }
                if moment == .backfilling || moment == .switchingSpaces {
                    try await until {
                        let status = try await home.run(["backfill", "status"]).output
                        return status.split(separator: "\n").last?.contains(
                            "\(stored.count) embedded, 0 waiting, 0 leased, 0 failed  active") == true
                    }
                }
                try await child.end(SIGTERM)
            }
            // Nobody holds a lease, and what is left is done without waiting for one.
            let rest = try await home.run(
                ["backfill"] + (settings["SELENE_EMBED_MODEL"].map { ["--model", $0] } ?? []), ollama)
            #expect(rest.status == 0, "\(rest.errors)")
            let status = try await home.run(["backfill", "status"]).output
            #expect(status.contains("\(stored.count) embedded, 0 waiting, 0 leased, 0 failed  active"), "\(status)")
            #expect(status.components(separatedBy: "  active").count == 2)
            #expect(try integrity(of: home.database) == "ok")
        }
    }
}

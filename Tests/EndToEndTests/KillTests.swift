import FakeOllama
import Foundation
import GRDB
import GatewayTestSupport
import Inference
import NIOCore
import Storage
import Synchronization
import TestSupport
import Testing
import Transport

/// `kill -9` of a gateway, whatever it does: what was promised is there afterwards, and the next one goes on.
@Suite(.serialized) struct Kills {
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

    /// Brings a gateway into a state, and comes back while it is in it.
    private func enter(
        _ moment: Moment, _ server: ServeProcess, _ fake: FakeOllama, _ home: SeleneHome, _ promises: Promises,
        _ group: inout ThrowingTaskGroup<Void, any Error>
    ) async throws {
        let port = server.port
        switch moment {
        case .idle: return
        case .streaming:
            let body = #"{"model":"llama3.2","prompt":"x","options":{"num_predict":100000}}"#
            group.addTask { _ = try await server.request("POST", "/api/generate", body) }
            group.addTask {
                _ = try await server.request("POST", "/api/llm/generate", #"{"prompt":"x","stream":true}"#)
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
                        guard try await server.request("POST", "/api/notes", body).status == 201 else { return }
                        promises.keep(title)
                    }
                }
            }
            try await waitUntil { promises.all.count > 60 }
        case .writingIndexFile:
            let folder = home.database + ".index"
            try await waitUntil {
                ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).contains {
                    $0.hasSuffix(".new") || $0.hasSuffix(".index")
                }
            }
        case .backfilling: #expect(await fake.waitUntil { $0.embedBatches.count > 3 })
        case .job:
            #expect(try await server.request("POST", "/api/jobs/backfill").status == 202)
            #expect(await fake.waitUntil { $0.embedBatches.count > 3 })
        case .switchingSpaces:
            // The last vectors of the new space have just been given; they are stored, and then it is switched to.
            let notes = try await GatewayDatabase(path: home.database).notes.count()
            #expect(await fake.waitUntil { $0.embedBatches.reduce(0, +) > notes })
        }
    }

    @Test(.slow, arguments: Moment.allCases)
    func `a gateway that is killed comes back with all that it had promised`(moment: Moment) async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 200
        options.latency = [.backfilling, .job, .switchingSpaces].contains(moment) ? 0.05 : 0
        try await FakeOllama.withServer(options) { fake in
            let home = try SeleneHome()
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
            try await ServeProcess.with(settings.merging(ollama) { $1 }, home: home) { server in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    try await enter(moment, server, fake, home, promises, &group)
                    try await server.end(SIGKILL)
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

            try await ServeProcess.with(settings.merging(ollama) { $1 }, home: home) { server in
                #expect(try await server.request("GET", "/health").status == 200)
                #expect(try await server.request("POST", "/api/llm/generate", #"{"prompt":"x"}"#).status == 200)
                let asked = try await server.request(
                    "POST", "/api/notes/retrieve", #"{"keywords":["潮 71"],"limit":100}"#)
                let expected = stored.filter { title in title.hasPrefix("note 71") }
                let found = asked.objects("results").compactMap { $0["title"] as? String }
                #expect(found.sorted() == expected.sorted(), "\(asked.text.prefix(300))")
                if moment == .job {
                    let job = try await server.request("GET", "/api/jobs/1")
                    #expect(job.object["state"] as? String == "interrupted", "\(job.text)")
                    #expect(try await server.request("POST", "/api/jobs/1/resume").status == 202)
                    try await waitUntil {
                        try await server.request("GET", "/api/jobs/1").object["state"] as? String == "done"
                    }
                }
                if moment == .backfilling || moment == .switchingSpaces {
                    try await waitUntil {
                        let status = try await home.run(["backfill", "status"]).output
                        return status.split(separator: "\n").last?.contains(
                            "\(stored.count) embedded, 0 waiting, 0 leased, 0 failed  active") == true
                    }
                }
                try await server.end(SIGTERM)
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

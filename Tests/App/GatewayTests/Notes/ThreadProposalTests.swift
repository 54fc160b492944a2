import ThreadRoom
import Foundation
import GatewayAPI
import GatewayTestSupport
import Storage
import TestSupport
import Testing

/// The job `threads` and its proposals over HTTP.
@Suite struct ThreadProposalRoutesTests {
    private static func decode<Value: Decodable>(_ type: Value.Type, _ reply: LiveGateway.Reply) throws -> Value {
        try JSONDecoder().decode(type, from: reply.data)
    }

    /// Writes notes of a subject that no other subject has words of.
    private static func fill(_ gateway: LiveGateway, _ subject: String, _ numbers: Range<Int>) async throws {
        for number in numbers {
            let body = #"{"title":"\#(subject) \#(number)","content":"\#(subject) \#(subject) \#(subject)"}"#
            #expect(try await gateway.request("POST", "/api/notes", body).status == 201)
        }
    }

    private static func run(_ gateway: LiveGateway, _ body: String = "") async throws -> Job {
        let begun = try await gateway.request("POST", "/api/jobs/threads", body.isEmpty ? nil : body)
        #expect(begun.status == 202, "\(begun.text)")
        let id = try decode(Job.self, begun).id
        _ = try await gateway.request("GET", "/api/jobs/\(id)/events")
        return try decode(Job.self, try await gateway.request("GET", "/api/jobs/\(id)"))
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `a job finds threads, later only around what changed, and a person decides`(
        _ place: NotesPlace
    ) async throws {
        try await LiveGateway.with(notesIn: place, settings: ["goals_zone": "UTC"]) { gateway in
            #expect(try await Self.run(gateway).state == .done)
            try await Self.fill(gateway, "roof", 0..<6)
            try await Self.fill(gateway, "cello", 0..<5)
            try await gateway.backfill()
            let first = try await Self.run(gateway)
            #expect(first.state == .done && first.total == 11, "\(first)")
            let list = try Self.decode(
                ThreadProposalList.self, try await gateway.request("GET", "/api/threads/proposals"))
            #expect(list.count == 2 && Set(list.proposals.map { $0.parts[0].count }) == [5, 6], "\(list)")
            let groups = try await gateway.store.threadGroups.groups()
            // Nothing changed: nothing is compared.
            let second = try await Self.run(gateway)
            #expect(second.state == .done && second.total == 0, "\(second)")
            #expect(try await gateway.store.threadGroups.groups() == groups)
            // One note more: it alone is compared, as a run over all notes finds it.
            try await Self.fill(gateway, "roof", 6..<7)
            try await gateway.backfill()
            let third = try await Self.run(gateway)
            #expect(third.state == .done && (1...11).contains(third.total), "\(third)")
            let partly = try await gateway.store.threadGroups.groups()
            let again = try await Self.run(gateway, #"{"again":true}"#)
            #expect(again.state == .done && again.total >= 12, "\(again)")
            #expect(try await gateway.store.threadGroups.groups() == partly)

            let roof = try #require(list.proposals.first { $0.parts[0].count == 6 })
            let accepted = try await gateway.request(
                "POST", "/api/threads/proposals/\(roof.id)/accept", #"{"name":"The roof"}"#)
            #expect(accepted.status == 200, "\(accepted.text)")
            let thread = try #require(try Self.decode(ThreadProposal.self, accepted).madeThreads?.first)
            let shown = try await gateway.request("GET", "/api/threads/\(thread)")
            #expect(shown.status == 200 && shown.text.contains("The roof"), "\(shown.text)")
            let cello = try #require(list.proposals.first { $0.parts[0].count == 5 })
            #expect(try await gateway.request("POST", "/api/threads/proposals/\(cello.id)/decline").status == 200)
            #expect(try await gateway.request("POST", "/api/threads/proposals/\(cello.id)/accept").status == 409)
            #expect(try await gateway.request("POST", "/api/threads/proposals/\(roof.id)/decline").status == 409)
            _ = try await Self.run(gateway)
            let left = try await gateway.request("GET", "/api/threads/proposals")
            #expect(try Self.decode(ThreadProposalList.self, left).count == 0, "\(left.text)")
            let all = try await gateway.request("GET", "/api/threads/proposals?state=all&limit=1")
            let page = try Self.decode(ThreadProposalList.self, all)
            #expect(page.count == 1 && page.nextCursor != nil)
            let threads = try Self.decode(ThreadsResponse.self, try await gateway.request("GET", "/api/threads"))
            #expect(threads.threads.first?.heat == "heating", "\(threads)")
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `wrong parameters are refused`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            let empty = try await gateway.request("GET", "/api/threads/proposals")
            #expect(empty.status == 200 && empty.text.contains("\"proposals\":[]"), "\(empty.text)")
            for query in ["state=closed", "limit=0", "limit=101", "cursor=x", "cursor=1_2"] {
                #expect(try await gateway.request("GET", "/api/threads/proposals?\(query)").status == 400, "\(query)")
            }
            #expect(try await gateway.request("POST", "/api/threads/proposals/9/accept").status == 404)
            #expect(try await gateway.request("POST", "/api/threads/proposals/9/decline").status == 404)
            #expect(try await gateway.request("POST", "/api/threads/proposals/a/accept").status == 400)
            #expect(try await gateway.request("POST", "/api/threads/proposals/9/accept", #"{"name":""}"#).status == 400)
            #expect(try await gateway.request("POST", "/api/jobs/threads", #"{"again":1}"#).status == 400)
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `the workflow runs at its time, once`(_ place: NotesPlace) async throws {
        let settings = ["goals_zone": "UTC", "workflows": "threads", "briefing_at": "00:00"]
        try await LiveGateway.with(notesIn: place, settings: settings) { gateway in
            try await waitUntil {
                let jobs = try Self.decode(JobList.self, try await gateway.request("GET", "/api/jobs")).jobs
                return jobs.contains { $0.kind == .threads && $0.state == .done }
            }
            let day = try await gateway.store.threadGroups.doneDay()
            #expect(day?.count == 10)
        }
    }
}

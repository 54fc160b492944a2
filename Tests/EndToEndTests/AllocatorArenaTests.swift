#if os(Linux)
import Foundation
import GatewayTestSupport
import TestSupport
import Testing

/// The pools of glibc's allocator in a running gateway.
@Suite(.serialized) struct AllocatorArenas {
    /// Pools other than the first, which is the heap: each lies in a block of 64 MiB that begins at a multiple of its size, and of which
    /// only the used start can be written.
    private func pools(of process: Int32) throws -> Int {
        let block: UInt64 = 64 << 20
        let maps = try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)
        let ranges = maps.split(separator: "\n").compactMap {
            line -> (start: UInt64, end: UInt64, access: Substring)? in
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count == 5 else { return nil }
            let ends = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            return ends.count == 2 ? (ends[0], ends[1], fields[1]) : nil
        }
        return zip(ranges, ranges.dropFirst()).count { used, rest in
            used.start % block == 0 && used.access == "rw-p" && rest.access == "---p" && rest.start == used.end
                && rest.end == used.start + block
        }
    }

    /// Pools after requests that used the event loops, the database and tasks at once.
    private func poolsUnderLoad(_ environment: [String: String]) async throws -> Int {
        var found = 0
        try await ServeProcess.with(environment.merging(["SELENE_BACKFILL": "off"]) { one, _ in one }) { server in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<32 {
                    group.addTask {
                        try await server.request(
                            "POST", "/api/notes/retrieve", #"{"query":"tide \#(number)","mode":"keyword"}"#
                        )
                        .status
                    }
                }
                for try await status in group { #expect(status == 200) }
            }
            found = try pools(of: server.process.processIdentifier)
        }
        return found
    }

    @Test(.slow) func `a gateway has at most one pool for each core, or as many as the environment says`() async throws
    {
        let cores = max(2, ProcessInfo.processInfo.activeProcessorCount)
        let usual = try await poolsUnderLoad([:])
        #expect((1..<cores).contains(usual))
        // More of them are made when they are allowed: this shows that the count sees pools.
        #expect(try await poolsUnderLoad(["MALLOC_ARENA_MAX": String(4 * cores)]) > usual)
    }
}
#endif

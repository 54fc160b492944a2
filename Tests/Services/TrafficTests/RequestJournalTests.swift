import Testing
import Traffic

@Suite struct RequestJournals {
    @Test func `a full journal drops and counts`() {
        let journal = RequestJournal(capacity: 2)
        for number in 0..<5 {
            journal.append(
                RequestLogEntry(
                    at: Int64(number), method: "GET", route: "/health", path: "/health", status: 200,
                    requestID: "id\(number)"))
        }
        #expect(journal.takeAll().map(\.requestID) == ["id0", "id1"])
        #expect(journal.dropped == 3 && journal.takeAll().isEmpty)
        journal.lost(2)
        #expect(journal.dropped == 5)
    }
}

import Testing
import Transport

struct HeaderNameTests {
    @Test(arguments: [
        ("Content-Type", "content-type", true), ("CONTENT-TYPE", "Content-Type", true), ("", "", true),
        ("content-type", "content-typ", false), ("content-type", "content_type", false),
        // Characters that differ from others as capitals do, and are no letters.
        ("x-@", "x-`", false), ("x-[", "x-{", false), ("x-1", "x-\u{11}", false), ("É", "é", false),
    ])
    func `names are compared with letters alike in both cases`(one: String, other: String, isSame: Bool) {
        #expect(one.isHeader(other) == isSame && other.isHeader(one) == isSame)
    }

    @Test func `a header is found by its name in any case, the first of several`() {
        let head = UpstreamResponseHead(status: 200, headers: [("retry-AFTER", "3"), ("Retry-After", "4")])
        #expect(head["Retry-After"] == "3" && head["retry"] == nil)
    }
}

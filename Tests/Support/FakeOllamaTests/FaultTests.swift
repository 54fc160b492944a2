import FakeOllama
import Testing

@Suite struct FaultTests {
    @Test func `a fault has a kind, numbers, a path and a count`() throws {
        let fault = try #require(Fault("stall-mid=3:0.5@/api/chat#2"))
        #expect(fault.kind == .stallMid(3, 0.5))
        #expect(fault.path == "/api/chat")
        #expect(fault.count == 2)
        let plain = try #require(Fault("drop"))
        #expect(plain.kind == .drop)
        #expect(plain.path == nil)
        #expect(plain.count == nil)
    }

    @Test(arguments: [
        ("stall-first=1.5", Fault.Kind.stallFirst(1.5)), ("cut=5", .cut(5)), ("reset=0", .reset(0)),
        ("bad-json=2", .badJSON(2)), ("error-line=1", .errorLine(1)), ("giant-line=4096", .giantLine(4096)),
        ("status=503", .status(503)), ("busy=429:7", .busy(429, 7)), ("rst=4", .reset(4)),
        ("drip=1:0.01", .drip(1, 0.01)), ("echo", .echo),
    ])
    func `each kind is read`(text: String, kind: Fault.Kind) {
        #expect(Fault(text)?.kind == kind)
    }

    @Test(arguments: [
        "", "cut", "cut=", "cut=x", "cut=-1", "cut=+1", "cut=1:2", "drop=1", "stall-first=nan", "stall-first=inf",
        "stall-first=-1", "stall-mid=3", "stall-mid=3:", "status=200", "status=4 00", "unknown=1", "busy=503",
        "busy=200:1", "cut=1#0",
        "cut=1#x", "cut=1@api/chat", "drip=0:1", "drip=1", "echo=1", "cut=99999999999999999999",
    ])
    func `what is not a fault is refused`(text: String) {
        #expect(Fault(text) == nil)
    }
}

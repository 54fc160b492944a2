import Inference
import TestSupport
import Testing
import Transport

@testable import Telemetry

/// W3C's Trace Context: `traceparent`, `tracestate`, and which traces are recorded.
@Suite struct TraceContext {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let span = "00f067aa0ba902b7"
    private static let usual = "00-\(trace)-\(span)-01"

    @Test func `a header is read and written`() throws {
        let parent = try #require(TraceParent(Self.usual))
        #expect(parent.trace.description == Self.trace && parent.span.description == Self.span)
        #expect(parent.isSampled && parent.header == Self.usual)
        let quiet = try #require(TraceParent("00-\(Self.trace)-\(Self.span)-00"))
        #expect(!quiet.isSampled && quiet.header.hasSuffix("-00"))
        // Flags that later levels add are not passed on as ours.
        #expect(TraceParent("00-\(Self.trace)-\(Self.span)-03")?.header == Self.usual)
        #expect(TraceParent("00-\(Self.trace)-\(Self.span)-02")?.isSampled == false)
    }

    @Test func `later versions are read as far as they are known`() {
        for header in ["01-\(Self.trace)-\(Self.span)-01", "cc-\(Self.trace)-\(Self.span)-01-what the future brings"] {
            #expect(TraceParent(header)?.header == Self.usual, "\(header)")
        }
        #expect(TraceParent("01-\(Self.trace)-\(Self.span)-01x") == nil)
    }

    @Test(arguments: [
        "", "00", "ff-\(trace)-\(span)-01", "00-\(trace)-\(span)-01-more", "00-\(trace)-\(span)-1",
        "00-\(trace)-\(span)",
        "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01",
        "00-\(trace.uppercased())-\(span)-01", "00-\(trace)-\(span)-0G", "00_\(trace)_\(span)_01",
        " 00-\(trace)-\(span)-01",
        "0x-\(trace)-\(span)-01", "00-\(trace)\(span)--01", "00-４bf92f3577b34da6a3ce929d0e0e4736-\(span)-01",
    ])
    func `an invalid header begins a new trace`(header: String) {
        #expect(TraceParent(header) == nil)
        let span = Tracer(ratio: 1).begin(parents: [header], states: ["a=1"])
        #expect(span.parent == nil && span.state == nil && span.trace.description != Self.trace)
    }

    @Test func `two headers are as bad as none`() {
        let span = Tracer(ratio: 1).begin(parents: [Self.usual, Self.usual], states: [])
        #expect(span.parent == nil && span.trace.description != Self.trace)
    }

    @Test func `any header is either refused or means the same when it is written and read again`() {
        var generator = SeededGenerator(7)
        let letters = Array("0123456789abcdefABCDEF-gx \u{0}é".unicodeScalars)
        var (good, bad) = (0, 0)
        for _ in 0..<Gear.rounds(20_000) {
            var text = Array(Self.usual.unicodeScalars)
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                guard !text.isEmpty else { break }
                let place = Int.random(in: 0..<text.count, using: &generator)
                let letter = letters[Int.random(in: 0..<letters.count, using: &generator)]
                switch Int.random(in: 0...3, using: &generator) {
                case 0: text.insert(letter, at: place)
                case 1: text.remove(at: place)
                default: text[place] = letter
                }
            }
            var header = ""
            header.unicodeScalars.append(contentsOf: text)
            guard let parent = TraceParent(header) else {
                bad += 1
                continue
            }
            good += 1
            #expect(parent.header.utf8.count == 55 && TraceParent(parent.header) == parent, "\(header)")
        }
        #expect(good > 50 && bad > 50)
    }

    @Test func `the state is passed on as it is, within its bound`() {
        #expect(TraceState.joined(["a=1, b=2 ", "c=3"]) == "a=1, b=2 ,c=3")
        #expect(
            TraceState.joined([]) == nil && TraceState.joined([""]) == nil && TraceState.joined(["a=\u{7F}"]) == nil)
        let many = (0..<100).map { "key\($0)=value" }.joined(separator: ",")
        let cut = TraceState.joined([many]) ?? ""
        #expect(cut.utf8.count <= TraceState.limit && many.hasPrefix(cut + ",") && cut.hasSuffix("=value"))
        #expect(TraceState.joined([String(repeating: "x", count: 600)]) == nil)
    }

    @Test func `ids are never zero and never the same`() {
        let spans = (0..<1000).map { _ in Tracer(ratio: 1).begin(parents: [], states: []) }
        #expect(Set(spans.map(\.trace)).count == 1000 && Set(spans.flatMap { [$0.id, $0.callID] }).count == 2000)
        #expect(TraceID(high: 0, low: 0) == nil && SpanID(0) == nil)
        #expect(TraceID(high: 0, low: 1)?.description == String(repeating: "0", count: 31) + "1")
    }

    @Test func `a share of the traces is recorded, the same ones for each program`() throws {
        var generator = SeededGenerator(3)
        let traces = (0..<4000).map { _ in TraceID.random(by: &generator) }
        #expect(
            traces.allSatisfy(TraceSampler(ratio: 1).keeps) && !traces.contains(where: TraceSampler(ratio: 0).keeps))
        let (quarter, half) = (TraceSampler(ratio: 0.25), TraceSampler(ratio: 0.5))
        #expect((800...1200).contains(traces.count(where: quarter.keeps)))
        #expect(traces.filter(quarter.keeps).allSatisfy(half.keeps))
        // The bound of the SDKs: the lower half of the id, shifted by one bit.
        let low = try #require(TraceID(high: .max, low: 0x7FFF_FFFF_FFFF_FFFF))
        let high = try #require(TraceID(high: 0, low: 0x8000_0000_0000_0000))
        #expect(half.keeps(low) && !half.keeps(high))
    }

    @Test func `the caller's decision counts for a caller with a valid key only`() throws {
        let yes = try #require(TraceParent(Self.usual))
        let no = TraceParent(trace: yes.trace, span: yes.span, isSampled: false)
        let (all, none) = (TraceSampler(ratio: 1), TraceSampler(ratio: 0))
        #expect(none.records(yes.trace, parent: yes, isTrusted: true))
        #expect(!none.records(yes.trace, parent: yes, isTrusted: false))
        #expect(!all.records(yes.trace, parent: no, isTrusted: true))
        #expect(all.records(yes.trace, parent: no, isTrusted: false))
        #expect(all.records(yes.trace, parent: nil, isTrusted: true))
        let span = Tracer(ratio: 0).begin(parents: [Self.usual], states: ["a=1"])
        #expect(!span.isRecorded && span.headers(ofModelCall: true).isEmpty)
        span.trust()
        #expect(span.isRecorded)
        let headers = span.headers(ofModelCall: true)
        #expect(headers.map(\.name) == ["traceparent", "tracestate"])
        #expect(headers.map(\.value) == ["00-\(Self.trace)-\(span.callID)-01", "a=1"])
    }

    @Test func `every protocol of chats has a name, and a search has none`() {
        for form in ChatProtocol.allCases { #expect(ModelOperation(route: form.path) != nil, "\(form)") }
        #expect(ModelOperation(route: "/v1/messages")?.name == "chat")
        #expect(ModelOperation(route: "/v1/embeddings")?.name == "embeddings")
        for route in ["/api/notes/retrieve", "/api/chat/runs", "other"] { #expect(ModelOperation(route: route) == nil) }
    }

    @Test func `the port of a server is that of its address, or the scheme's`() {
        for (address, host, port) in [
            ("http://127.0.0.1:11434", "127.0.0.1", 11434), ("https://api.example.org/v1", "api.example.org", 443),
            ("http://[::1]:8080/a:1", "::1", 8080), ("http://[::1]", "::1", 80), ("http://gpu", "gpu", 80),
        ] {
            let upstream = UpstreamConfiguration(baseURL: address, peer: "x")
            #expect(upstream.host == host && upstream.port == port, "\(address)")
        }
    }
}

import FakeProviders
import GatewayAPI
import TestSupport
import Testing

@testable import Inference
@testable import Transport

/// Faults of other providers: retries, errors, cancellation, and where the key must not get.
@Suite(.serialized) struct RemoteFaults {
    private let request = ModelChatRequest(model: "small", turns: [.user("Hello")])
    private static let routes = ["openai": "/v1/chat/completions", "anthropic": "/v1/messages"]

    private func attempts(_ stand: RemoteStand, _ provider: any ChatProvider) -> Int {
        stand.fake.statistics.requests[Self.routes[provider.name] ?? "", default: 0]
    }

    @Test(arguments: ["status=429#2", "status=500#2", "status=529#2", "status=408#1", "drop#2", "busy=429:3#1"])
    func `what passes by itself is tried again before the answer begins`(fault: String) async throws {
        try await RemoteStand.with { stand in
            for provider in stand.both {
                stand.fake.setFaults([fault])
                let before = stand.pauses.all.count
                let answer = await ChatRecording(request, to: provider)
                #expect(answer.error == nil)
                #expect(answer.end == ChatEnd(.stop))
                #expect(answer.events.filter { $0 == .sent }.count == 1)
                let pauses = stand.pauses.all.dropFirst(before)
                #expect(attempts(stand, provider) == pauses.count + 1)
                if fault.hasPrefix("busy") { #expect(pauses.first == .seconds(3)) }
            }
        }
    }

    @Test(
        arguments: [
            ("status=400", 1, 400, nil), ("status=404", 1, 404, nil), ("status=501", 1, 501, nil),
            ("status=503", 3, 503, nil), ("busy=429:600", 1, 429, 600), ("busy=529:2", 3, 529, 2),
        ] as [(String, Int, Int, Int?)])
    func `the rest is an error at once, and what stays, after three attempts`(
        fault: String, attempts: Int, status: Int, wish: Int?
    ) async throws {
        try await RemoteStand.with { stand in
            for provider in stand.both {
                stand.fake.setFaults([fault])
                let answer = await ChatRecording(request, to: provider)
                #expect(answer.error?.status == status)
                #expect(answer.error?.retryAfterSeconds == wish)
                #expect(answer.error?.message == "provider \"\(provider.name)\" answered \(status): fault \(status)")
                #expect(self.attempts(stand, provider) == attempts)
            }
        }
    }

    @Test(arguments: [
        ("cut=6", UpstreamError.Code.cut), ("reset=6", .cut), ("bad-json=6", .invalidResponse),
        ("error-line=6", .status),
    ])
    func `a stream that breaks is an error after its events, and is not repeated`(
        fault: String, code: UpstreamError.Code
    ) async throws {
        try await RemoteStand.with { stand in
            for provider in stand.both {
                stand.fake.setFaults([fault])
                let answer = await ChatRecording(request, to: provider)
                #expect(answer.error?.code == code)
                #expect(answer.text.hasPrefix("Grüße 🎻 日本 "))
                #expect(answer.end == nil)
                #expect(attempts(stand, provider) == 1)
                if code == .status { #expect(answer.error?.status == (provider.name == "openai" ? 500 : 529)) }
            }
        }
    }

    @Test func `the key gets into no error, even if the provider repeats it`() async throws {
        for key in [RemoteStand.key, "sk-wrong-0123456789abcdef"] {
            try await RemoteStand.with(key: .value(key)) { stand in
                for provider in stand.both {
                    for model in ["echo", "none"] {
                        var request = request
                        request.model = model
                        let error = await ChatRecording(request, to: provider).error
                        let said = "\(error.map { "\($0)" } ?? "")"
                        #expect(error?.status == (key == RemoteStand.key ? 404 : 401))
                        #expect(!said.contains(key) && !said.contains("sk-"))
                        if error?.status == 401 {
                            #expect(error?.message == "provider \"\(provider.name)\" refused its key")
                        }
                    }
                }
            }
        }
        let long = ProviderKey.value("sk-proj-abcdefghijklmnop")
        #expect(long.redacting("bad key 'sk-proj-abc***mnop', sorry") == "bad key '********', sorry")
        #expect("\(long) \(String(reflecting: long))" == "******** ********")
        try await RemoteStand.with(key: .unusable("the environment variable K is not set")) { stand in
            for provider in stand.both {
                let error = await ChatRecording(request, to: provider).error
                #expect(
                    error?.message
                        == "provider \"\(provider.name)\" has no key: the environment variable K is not set")
                #expect(attempts(stand, provider) == 0)
            }
        }
    }

    @Test func `cancelling closes the connection, in every phase`() async throws {
        var options = FakeProvider.Options()
        options.tokens = 100_000
        options.tokenPause = 0.01
        try await RemoteStand.with(options) { stand in
            var count = 0
            for provider in stand.both {
                for (fault, least) in [("stall-first=600", 1), ("stall-mid=7:600", 3), ("", 3)] {
                    stand.fake.setFaults(fault.isEmpty ? [] : [fault])
                    let seen = Collected<ChatEvent>()
                    let task = Task { try await provider.chat(request, for: AdmissionCaller("a")) { seen.add($0) } }
                    try await waitUntil { seen.all.count >= least && stand.fake.statistics.inFlight == 1 }
                    task.cancel()
                    await #expect(throws: (any Error).self) { try await task.value }
                    count += 1
                    try await waitUntil {
                        stand.fake.statistics.cancelled == count && stand.fake.statistics.inFlight == 0
                    }
                }
                struct Gone: Error {}
                await #expect(throws: Gone.self) {
                    try await provider.chat(request, for: AdmissionCaller("a")) {
                        if case .text = $0 { throw Gone() }
                    }
                }
                count += 1
                try await waitUntil { stand.fake.statistics.cancelled == count }
            }
        }
    }

    @Test func `a request that waits for a place learns it`() async throws {
        try await RemoteStand.with(places: 1) { stand in
            for provider in stand.both {
                stand.fake.setFaults(["stall-mid=4:600"])
                let first = Task { try await provider.chat(request, for: AdmissionCaller("a")) { _ in } }
                try await waitUntil { stand.fake.statistics.inFlight == 1 }
                let seen = Collected<ChatEvent>()
                let second = Task { try await provider.chat(request, for: AdmissionCaller("b")) { seen.add($0) } }
                try await waitUntil { seen.all == [.waiting(place: 1)] }
                stand.fake.setFaults([])
                first.cancel()
                try await second.value
                #expect(seen.all.dropFirst().first == .sent)
                _ = await first.result
                try await waitUntil { stand.fake.statistics.inFlight == 0 }
            }
        }
    }
}

/// The rules for other attempts, without a connection.
@Suite struct RetryRules {
    private func pause(
        _ status: Int, _ headers: [(String, String)] = [], word: String? = nil, attempt: Int = 1
    ) -> Duration? {
        RetryRule.pause(
            after: .success(UpstreamResponseHead(status: status, headers: headers)), word: word, attempt: attempt,
            chance: 0)
    }

    @Test func `pauses double, and wishes are granted within bounds`() {
        #expect(pause(500) == .milliseconds(500))
        #expect(pause(500, attempt: 2) == .seconds(1))
        #expect(pause(500, attempt: 3) == nil)
        #expect(pause(429, [("Retry-After", "7")]) == .seconds(7))
        #expect(pause(429, [("retry-after", "0.5")]) == .milliseconds(500))
        #expect(pause(429, [("retry-after-ms", "250"), ("retry-after", "9")]) == .milliseconds(250))
        #expect(pause(429, [("retry-after", "21")]) == nil)
        for text in ["-1", "nan", "inf", "1e300", "Wed, 21 Oct 2026 07:28:00 GMT", ""] {
            #expect(pause(429, [("retry-after", text)]) == .milliseconds(500))
        }
        #expect(pause(400) == nil)
        #expect(pause(400, [("x-should-retry", "true")]) == .milliseconds(500))
        #expect(pause(500, [("x-should-retry", "false")]) == nil)
        #expect(pause(429, word: "insufficient_quota") == nil)
        #expect(pause(307) == nil)
    }
}

import FakeProviders
import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import NIOCore
import Storage
import TestSupport
import Testing
import Transport

/// `/api/llm/transcribe`: recordings turned into text by a provider, or by the server at Ollama's address.
@Suite(.serialized) struct Transcriptions {
    /// A second of 16-bit samples at 16 kHz that holds every byte, as WAV.
    private static let second: ByteBuffer = {
        var file = ByteBuffer()
        file.writeString("RIFF")
        file.writeInteger(UInt32(36 + 32_000), endianness: .little)
        file.writeString("WAVEfmt ")
        file.writeInteger(UInt32(16), endianness: .little)
        file.writeInteger(UInt16(1), endianness: .little)
        file.writeInteger(UInt16(1), endianness: .little)
        file.writeInteger(UInt32(16_000), endianness: .little)
        file.writeInteger(UInt32(32_000), endianness: .little)
        file.writeInteger(UInt16(2), endianness: .little)
        file.writeInteger(UInt16(16), endianness: .little)
        file.writeString("data")
        file.writeInteger(UInt32(32_000), endianness: .little)
        file.writeBytes((0..<32_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        return file
    }()

    private static let key = FakeProvider.Options().key ?? ""

    private func with(
        _ model: String, atOllama: Bool = false, _ body: (LiveGateway, FakeProvider) async throws -> Void
    ) async throws {
        var options = FakeProvider.Options()
        options.models += ["mute"]
        if atOllama { options.key = nil }
        try await FakeProvider.withServer(options) { provider in
            let folder = try TemporaryFolder()
            let file = folder.url.appending(path: "speech.key")
            try Data(Self.key.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            var settings = ["transcribe_model": model]
            if atOllama {
                settings["upstreams"] = "speech=\(provider.baseURL)"
            } else {
                settings["providers"] = """
                    {"speech": {"kind": "openai", "url": "\(provider.baseURL)/v1", "key_file": "\(file.path)"},
                     "claude": {"kind": "anthropic", "url": "\(provider.baseURL)", "key_file": "\(file.path)"}}
                    """
            }
            try await LiveGateway.with(settings: settings) { try await body($0, provider) }
        }
    }

    private func hear(
        _ gateway: LiveGateway, _ sound: ByteBuffer = second, type: String? = "audio/wav",
        path: String = "/api/llm/transcribe", token: String? = nil
    ) async throws -> LiveGateway.Reply {
        let headers = [type.map { ("Content-Type", $0) }, token.map { ("Authorization", "Bearer \($0)") }]
        let response = try await gateway.client.send(
            UpstreamRequest(method: "POST", path: path, headers: headers.compactMap(\.self), body: sound))
        let data = try await response.body.collect(upTo: 1 << 20)
        return LiveGateway.Reply(status: response.status, head: response.head, data: Data(data.readableBytesView))
    }

    @Test func `a provider hears every byte, in the language that is named`() async throws {
        try await with("speech/small") { gateway, provider in
            let status = try await gateway.done("GET", "/api/llm/transcribe")
            #expect(status.object["available"] as? Bool == true && status.object["model"] as? String == "speech/small")
            let heard = try await hear(gateway)
            #expect(heard.status == 200, "\(heard.text)")
            #expect(heard.object["text"] as? String == "16000 samples at 16000 Hz")
            #expect(heard.object["model"] as? String == "speech/small")
            let german = try await hear(gateway, type: "Audio/WAV; codecs=1", path: "/api/llm/transcribe?language=de")
            #expect(german.object["text"] as? String == "16000 samples at 16000 Hz in de")
            #expect(provider.lastRequest?.target == "/v1/audio/transcriptions")
        }
    }

    @Test func `the server at Ollama's address hears as well`() async throws {
        try await with("small", atOllama: true) { gateway, provider in
            let heard = try await hear(gateway)
            #expect(heard.object["text"] as? String == "16000 samples at 16000 Hz", "\(heard.text)")
            #expect(provider.lastRequest?.target == "/v1/audio/transcriptions")
        }
    }

    @Test func `without a model it says so`() async throws {
        try await LiveGateway.with { gateway in
            let status = try await gateway.done("GET", "/api/llm/transcribe")
            #expect(status.object["available"] as? Bool == false)
            let refused = try await hear(gateway)
            #expect(refused.status == 404 && refused.code == "no_transcriber")
            #expect(refused.error.contains("SELENE_TRANSCRIBE_MODEL"))
        }
    }

    @Test func `what is no recording is refused before anything is sent`() async throws {
        try await with("speech/small") { gateway, provider in
            let untyped = try await hear(gateway, type: nil)
            #expect(untyped.status == 415 && untyped.code == "unsupported_media_type")
            #expect(try await hear(gateway, type: "application/json").status == 415)
            let empty = try await hear(gateway, ByteBuffer())
            #expect(empty.status == 400 && empty.code == "empty_recording")
            for language in ["german", "d", "D%45", "d%22"] {
                let named = try await hear(gateway, path: "/api/llm/transcribe?language=\(language)")
                #expect(named.status == 400 && named.code == "invalid_field", "\(language)")
            }
            let large = try await hear(gateway, ByteBuffer(repeating: 0, count: (25 << 20) + 1))
            #expect(large.status == 413 && large.code == "too_large")
            #expect(provider.statistics.requests["/v1/audio/transcriptions"] == nil)
        }
    }

    @Test(.slow) func `what the server answers is told, without its key`() async throws {
        try await with("speech/mute") { gateway, _ in
            let mute = try await hear(gateway)
            #expect(mute.status == 502 && mute.code == "upstream_invalid_response", "\(mute.text)")
        }
        try await with("speech/unknown") { gateway, _ in
            let unknown = try await hear(gateway)
            #expect(unknown.status == 404 && unknown.error.contains("unknown"), "\(unknown.text)")
        }
        try await with("speech/small") { gateway, _ in
            let noise = try await hear(gateway, ByteBuffer(string: "not a sound"))
            #expect(noise.status == 400 && noise.error.contains("Invalid file format"), "\(noise.text)")
        }
    }

    @Test func `a client that leaves ends the request at the server`() async throws {
        try await with("speech/small") { gateway, provider in
            #expect(provider.setFaults(["stall-first=60@/v1/audio/transcriptions#1"]))
            let left = Task { try await hear(gateway) }
            try await waitUntil { provider.statistics.inFlight == 1 }
            left.cancel()
            _ = await left.result
            try await waitUntil { provider.statistics.cancelled == 1 }
        }
    }

    @Test(.slow) func `keys are charged, and those for other models are refused`() async throws {
        try await with("speech/small") { gateway, provider in
            let keys = gateway.store.keys
            let scribe = try await keys.create(
                name: "scribe", grant: KeyGrant(scopes: [.llm], models: ["speech/small"]))
            let guest = try await keys.create(name: "guest", grant: KeyGrant(scopes: [.llm], models: ["llama3.2"]))
            let reader = try await keys.create(name: "reader", grant: KeyGrant(scopes: [.notesRead]))
            try await gateway.waitForKeys()
            let refused = try await hear(gateway, token: guest.secret)
            #expect(refused.status == 403 && refused.code == "model_not_allowed", "\(refused.text)")
            let scopeless = try await hear(gateway, token: reader.secret)
            #expect(scopeless.status == 403 && scopeless.code == "missing_scope", "\(scopeless.text)")
            let wrong = try await hear(gateway, token: "slk_wrong")
            #expect(wrong.status == 403 && wrong.code == "forbidden", "\(wrong.status) \(wrong.text)")
            #expect(provider.statistics.requests["/v1/audio/transcriptions"] == nil)
            let heard = try await hear(gateway, token: scribe.secret)
            #expect(heard.status == 200, "\(heard.text)")
            let usage = try await gateway.usage(of: scribe) { $0.completionTokens > 0 }
            #expect(usage == KeyUsage(requests: 1, refused: 0, promptTokens: 10, completionTokens: 5))
        }
    }
}

import FakeOllama
import FakeProviders
import Foundation
import GatewayTestSupport
import TestSupport

/// A gateway with a synthetic provider under three names: `gpu` and `bare` with OpenAI's API, `claude` with Anthropic's.
/// `bare` has no key.
enum ProviderGateway {
    static func with(
        _ change: (inout FakeProvider.Options) -> Void = { _ in }, ollama: FakeOllama.Options = .init(),
        settings: [String: String] = [:], thinks: Bool = false,
        _ body: (LiveGateway, FakeProvider) async throws -> Void
    ) async throws {
        var options = FakeProvider.Options()
        change(&options)
        try await FakeProvider.withServer(options) { provider in
            let folder = try TemporaryFolder()
            let file = folder.url.appending(path: "provider.key")
            try Data((FakeProvider.Options().key ?? "").utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            let more = thinks ? #", "thinking": true"# : ""
            let providers = """
                {"gpu": {"kind": "openai", "url": "\(provider.baseURL)/v1", "key_file": "\(file.path)"\(more)},
                 "claude": {"kind": "anthropic", "url": "\(provider.baseURL)", "key_file": "\(file.path)"},
                 "bare": {"kind": "openai", "url": "\(provider.baseURL)/v1", "key_env": "SELENE_TEST_NO_SUCH_KEY"}}
                """
            try await LiveGateway.with(
                ollama, settings: settings.merging(["providers": providers]) { $1 }
            ) { try await body($0, provider) }
        }
    }
}

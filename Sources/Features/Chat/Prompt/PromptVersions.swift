import Cryptography
import GatewayAPI
import Prompts

/// The versions of prompts, by their content.
enum PromptVersions {
    private static let versions: [ChatKind: String] = {
        var versions: [ChatKind: String] = [:]
        for kind in ChatKind.allCases {
            let digest = SHA256.hash(data: ChatPrompts.source(of: kind))
            versions[kind] = digest.prefix(6).map { byte in
                let digits = String(byte, radix: 16)
                return digits.count == 1 ? "0" + digits : digits
            }.joined()
        }
        return versions
    }()

    /// The name and version of a kind's prompt.
    static func of(_ kind: ChatKind) -> ChatPromptVersion {
        ChatPromptVersion(name: kind.rawValue, version: versions[kind] ?? "")
    }
}

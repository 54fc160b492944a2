package import KeyRoom

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The signature of a request by the client's own key, in the form of Ollama's client.
///
/// With `OLLAMA_AUTH=1`, or for ollama.com, that client signs `METHOD,PATH?ts=SECONDS` with `~/.ollama/id_ed25519`. It sends
/// the time as the parameter `ts`, and `Authorization: KEY:SIGNATURE`, both in Base64 and without a scheme.
package struct RequestSignature: Sendable, Hashable {
    package let key: SigningKey
    /// 64 bytes (RFC 8032).
    let signature: [UInt8]
    /// What was signed.
    let message: [UInt8]
    /// When the client signed, in seconds since 1970; nil when the request does not say.
    let signedAt: Int64?

    /// Reads a header; nil when it is none of this form.
    ///
    /// - Parameters:
    ///   - header: The value of `Authorization`.
    ///   - target: The path with its query, as the client wrote it.
    package init?(_ header: String, method: String, target: String) {
        let parts = header.split(separator: ":", maxSplits: 1)
        guard header.hasPrefix(SigningKey.textPrefix), parts.count == 2, let key = SigningKey(base64: parts[0]),
            parts[1].utf8.count <= 128, let signature = Data(base64Encoded: String(parts[1]))
        else { return nil }
        let path = target.prefix { $0 != "?" }
        let times = target.dropFirst(path.count + 1).split(separator: "&").filter { $0.hasPrefix("ts=") }
        let time = times.count == 1 ? times[0].dropFirst(3) : ""
        (self.key, self.signature, signedAt) = (key, Array(signature), Int64(time))
        message = Array("\(method),\(path)?ts=\(time)".utf8)
    }
}

/// Why the signature of a request does not count.
package enum SignatureFault: Sendable, Hashable {
    /// No live key of the gateway is this one.
    case unknownKey(fingerprint: String)
    /// The signature is not the key's for this method, path and time.
    case invalid
    /// The client signed at another time than the gateway's now; the difference in seconds, nil when it says none.
    case stale(seconds: Int64?)
    /// The signature was used before.
    case used
}

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Another HTTP client than ours, to compare with.
enum DirectClient {
    static func post(_ address: String, _ body: Data) async throws -> Data {
        guard let url = URL(string: address) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = body
        return try await URLSession.shared.data(for: request).0
    }
}

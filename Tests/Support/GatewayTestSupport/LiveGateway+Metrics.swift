package import TestSupport

extension LiveGateway {
    /// What `/metrics` says now; `token` is a bearer token.
    package func metrics(token: String? = nil) async throws -> PrometheusReader {
        let headers = token.map { [(name: "Authorization", value: "Bearer \($0)")] } ?? []
        return try PrometheusReader(try await request("GET", "/metrics", headers: headers).text)
    }

    /// What `/metrics` says as soon as a condition holds, or after 30 seconds. A count may come just after the reply.
    package func metrics(
        token: String? = nil, once holds: (PrometheusReader) -> Bool
    ) async throws -> PrometheusReader {
        var last = try await metrics(token: token)
        _ = try await eventually {
            if holds(last) { return true }
            last = try await metrics(token: token)
            return false
        }
        return last
    }
}

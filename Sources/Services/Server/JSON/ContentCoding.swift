import HTTPTypes

/// Refuses compressed bodies on the gateway's own routes, which read bodies as they are. Bodies for an upstream pass
/// as they are.
enum ContentCoding {
    /// - Throws: ``GatewayError`` with 415 that names the encoding.
    static func check(_ headers: HTTPFields) throws(GatewayError) {
        guard headers.contains(.contentEncoding) else { return }
        let codings = headers[values: .contentEncoding].flatMap { $0.split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
        guard let coding = codings.first(where: { !$0.isEmpty && $0 != "identity" }) else { return }
        throw GatewayError(
            .unsupportedMediaType, .unsupportedMediaType,
            "Content-Encoding \"\(coding.prefix(64))\" is not supported here; send the body without compression and "
                + "without that header",
            headers: [.acceptEncoding: "identity", .connection: "close"])
    }
}

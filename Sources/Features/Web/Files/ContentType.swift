/// The type of a file by its extension.
enum ContentType {
    private static let types: [String: String] = [
        "css": "text/css; charset=utf-8", "html": "text/html; charset=utf-8", "ico": "image/x-icon",
        "js": "text/javascript; charset=utf-8", "json": "application/json; charset=utf-8", "png": "image/png",
        "svg": "image/svg+xml", "txt": "text/plain; charset=utf-8", "webmanifest": "application/manifest+json",
        "webp": "image/webp", "woff2": "font/woff2",
    ]

    /// The value of `Content-Type`. Unknown files are bytes, which browsers do not run.
    static func of(_ path: String) -> String {
        let name = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
        return types[name] ?? "application/octet-stream"
    }

    /// Whether files of a type become smaller by compression.
    static func isCompressible(_ type: String) -> Bool {
        !["image/png", "image/webp", "font/woff2", "application/octet-stream"].contains(type)
    }
}

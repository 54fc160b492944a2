/// Under which name a proxied route is counted: a bounded number, whatever clients ask for.
extension ProxyPolicy {
    /// Every pattern that ``pattern(of:)`` gives.
    static var patterns: [String] {
        routes.keys.sorted() + ["/v1/models/{model}", "/v1/other", "/api/blobs/{digest}"]
    }

    /// The pattern of a path that ``kind(of:method:)`` knows.
    static func pattern(of path: String) -> String {
        if routes[path] != nil { return path }
        if path.hasPrefix("/api/blobs/") { return "/api/blobs/{digest}" }
        return path.hasPrefix("/v1/models/") ? "/v1/models/{model}" : "/v1/other"
    }
}

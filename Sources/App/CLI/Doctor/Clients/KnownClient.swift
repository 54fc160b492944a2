import Foundation

/// An app that people use with Ollama or OpenAI: where it takes an address and a key, and what it asks a server for.
///
/// The facts are from the sources and documents of the apps. `Documentation/Clients.md` has them as a table.
struct KnownClient: Sendable {
    /// Where an app can put a key.
    enum KeyPlace: String, Sendable {
        /// `Authorization: Bearer KEY`.
        case bearer
        /// Within the address, as the password of Basic.
        case password
        /// Within the address, in front of the path; the key must be made for it.
        case path
        /// Nowhere: it signs its requests.
        case signature
    }

    /// A request of the app, with the path that arrives at the gateway.
    struct Request: Sendable {
        let method: String
        let path: String
        /// The body, with ``model`` for the name of a model; nil for none.
        var body: String?
        /// Whether it makes a model work.
        var isWork = false

        /// Stands in bodies for the name of a model.
        static let model = "MODEL"

        static func get(_ path: String) -> Request { Request(method: "GET", path: path) }
        static let tags = get("/api/tags")
        static let root = get("/")
        static let headOfRoot = Request(method: "HEAD", path: "/")
        static let show = Request(method: "POST", path: "/api/show", body: #"{"model":"MODEL"}"#)
        static let models = get("/v1/models")
        static func work(_ path: String, _ body: String) -> Request {
            Request(method: "POST", path: path, body: body, isWork: true)
        }
        private static let talk = #""model":"MODEL","messages":[{"role":"user","content":"Hi"}]"#
        /// A conversation with Ollama's API, with further fields.
        static func chat(_ more: String = #""stream":true"#) -> Request { work("/api/chat", "{\(talk),\(more)}") }
        static let embed = work("/api/embed", #"{"model":"MODEL","input":["Hi"]}"#)
        static let completion = work("/v1/chat/completions", "{\(talk),\"stream\":true}")
    }

    /// The name on the command line.
    let id: String
    let name: String
    /// Where to enter what, with `ADDRESS` and `KEY` in place of the values.
    var entries: [(place: String, value: String)]
    var keyPlace: KeyPlace
    let requests: [Request]
    /// What else a person should know, with `ADDRESS` in place of the gateway's; empty for nothing.
    var remark: String
    /// The origin of its pages, when they and not its server send the requests.
    var origin: String?

    /// The app with the gateway's address in its entries and remark.
    func at(_ address: String) -> KnownClient {
        var client = self
        client.entries = entries.map { ($0.place, $0.value.replacing("ADDRESS", with: address)) }
        client.remark = remark.replacing("ADDRESS", with: address)
        return client
    }

    /// The app with its key at another place.
    func sending(_ place: KeyPlace) -> KnownClient {
        var client = self
        client.keyPlace = place
        return client
    }

    /// The command that makes a key for it.
    var command: String {
        switch keyPlace {
        case .bearer, .password: "selene keys create \(id) --scope llm"
        case .path: "selene keys create \(id) --scope llm --in-path"
        case .signature: "selene keys create \(id) --scope llm --ollama \"$(cat ~/.ollama/id_ed25519.pub)\""
        }
    }

    /// The header and the beginning of the path that hand over a key; a client that signs cannot be played with a key.
    func handing(_ key: String) -> (headers: [(name: String, value: String)], prefix: String) {
        switch keyPlace {
        case .bearer, .signature: ([("Authorization", "Bearer \(key)")], "")
        case .password: ([("Authorization", "Basic \(Data("user:\(key)".utf8).base64EncodedString())")], "")
        case .path: ([], "/k/\(key)")
        }
    }
}

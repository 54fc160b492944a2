import Inference
import Testing
import Transport

@Suite struct Addresses {
    @Test(arguments: [
        ("127.0.0.1", "http://127.0.0.1:11434"), ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"), (":8080", "http://127.0.0.1:8080"),
        ("host", "http://host:11434"), ("host:1", "http://host:1"), ("http://host", "http://host:80"),
        ("https://host/", "https://host:443"), ("https://host:8443/ollama/", "https://host:8443/ollama"),
        ("[::1]", "http://[::1]:11434"), ("[::]:99", "http://[::1]:99"), ("::1", "http://[::1]:11434"),
        (" \"host:5\" ", "http://host:5"), ("", "http://127.0.0.1:11434"),
    ])
    func `every form that Ollama's tools take is taken`(text: String, expected: String) throws {
        #expect(try UpstreamConfiguration(host: text).baseURL == expected)
    }

    @Test(arguments: ["ftp://host", "host:0", "host:99999", "host:x", "[::1", "http://user@host", "ho st:1x"])
    func `what cannot be dialled is refused`(text: String) {
        #expect(throws: UpstreamError.self) { try UpstreamConfiguration(host: text) }
    }
}

import GatewayAPI
import Server

/// Counts what MCP clients do.
struct MCPMetrics: Sendable {
    private let requests = MetricsFamily<MetricsCounter>(
        "selene_mcp_requests_total", labels: ["revision", "method"], "MCP requests, by revision and method.")
    private let calls = MetricsFamily<MetricsCounter>(
        "selene_mcp_tool_calls_total", labels: ["tool", "outcome"], "Calls of tools by MCP clients, by outcome.")
    /// The methods that are counted by name; others count as `unknown`.
    private static let methods: Set = [
        "initialize", "ping", "server/discover", "tools/list", "tools/call", "resources/list",
        "resources/templates/list", "resources/read", "prompts/list", "prompts/get", "completion/complete",
        "subscriptions/listen",
    ]

    func count(_ request: RPCRequest, _ revision: MCPRevision) {
        requests[revision.rawValue, Self.methods.contains(request.method) ? request.method : "unknown"].add()
    }

    /// Counts a call by its result.
    ///
    /// - Parameter tools: The names of all tools. Calls of others count as `unknown`.
    func count(_ request: RPCRequest, _ result: JSONValue?, tools: Set<String>) {
        guard request.method == "tools/call", case .string(let name)? = request.params["name"] else { return }
        var outcome = "refused"
        if case .object(let members)? = result { outcome = members["isError"] == nil ? "done" : "failed" }
        calls[tools.contains(name) ? name : "unknown", outcome].add()
    }

    /// Writes all metrics.
    ///
    /// - Parameter readers: The number of clients that read notices.
    func write(to text: inout PrometheusText, readers: Int) {
        requests.write(to: &text)
        calls.write(to: &text)
        text.single("selene_mcp_subscriptions", .gauge, "MCP clients that read notices.", readers)
    }
}

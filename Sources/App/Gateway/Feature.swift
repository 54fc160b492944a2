import GatewayAPI
import Jobs
import LLM
import Server
import ServiceLifecycle
import Tools

/// One feature's additions to the gateway, as a plain value: ``GatewayApplication`` knows no feature by name.
struct Feature: Sendable {
    /// Its part of the OpenAPI document, in UTF-8; see ``OpenAPIDocument``.
    var description: [UInt8] = []
    /// Adds the routes that need no key.
    var openRoutes: @Sendable (GatewayRouter) -> Void = { _ in }
    /// Adds the routes behind authentication.
    var routes: @Sendable (GatewayRouter) -> Void = { _ in }
    /// Models that the feature answers, and their routes: requests that name one come there.
    var models: OwnModels?
    var modelRoutes: @Sendable (GatewayRouter) -> Void = { _ in }
    /// Adds the routes of requests that are translated for another provider.
    var translations: @Sendable (GatewayRouter) -> Void = { _ in }
    /// Paths whose requests become WebSockets.
    var sockets: [WebSocketRoute] = []
    /// Route patterns that metrics count although the router does not have them.
    var countedPatterns: [String] = []
    /// Map the errors of the feature's services to HTTP.
    var errors: [ErrorShapes.Shape] = []
    /// The work of each kind of job that the feature defines.
    var jobs: [Job.Kind: JobRunner.Work] = [:]
    /// Services that begin jobs.
    var jobStarters: [@Sendable (JobRunner) -> any Service] = []
    /// The tools that chats offer to models.
    var tools: [Tool] = []
    /// What the console shows live of the feature.
    var topics: [LiveTopic] = []
    /// The feature's metrics, sampled at each scrape.
    var metrics: [MetricsRegistry.Source] = []
    /// The parts that apply changed settings while the gateway runs.
    var reloadables: [Reloadable<GatewayConfiguration>] = []
    /// Services that run beside the server until graceful shutdown.
    var services: [any Service] = []
}

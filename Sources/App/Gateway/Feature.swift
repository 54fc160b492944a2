import GatewayAPI
import Jobs
import Server
import ServiceLifecycle

/// What one feature adds to the gateway: a plain value, so that ``GatewayApplication`` knows no feature by name.
struct Feature: Sendable {
    /// Its part of the OpenAPI document, in UTF-8; see ``OpenAPIDocument``.
    var description: [UInt8] = []
    /// Adds the routes that need no key.
    var openRoutes: @Sendable (GatewayRouter) -> Void = { _ in }
    /// Adds the routes behind authentication.
    var routes: @Sendable (GatewayRouter) -> Void = { _ in }
    /// Patterns of routes that are counted though no router knows them.
    var countedPatterns: [String] = []
    /// How errors of the feature's services look in HTTP.
    var errors: [ErrorShapes.Shape] = []
    /// Kinds of jobs with their work.
    var jobs: [Job.Kind: JobRunner.Work] = [:]
    /// What a scrape of the metrics shows of it.
    var metrics: [MetricsRegistry.Source] = []
    /// What takes over settings while the gateway runs.
    var reloadables: [Reloadable<GatewayConfiguration>] = []
    /// What runs beside the server, until graceful shutdown.
    var services: [any Service] = []
}

import Gateway
import GatewayTestSupport
import Inference
import TestSupport

extension LiveGateway {
    /// Waits until what the gateway knows of its upstreams satisfies a condition, and returns whether it did in time.
    func waitForUpstreams(_ condition: ([EndpointStatus]) -> Bool) async -> Bool {
        await eventually { condition(application.upstream.endpoints) }
    }
}

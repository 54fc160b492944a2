package import Access
import GatewayAPI
import HTTPTypes
import Hummingbird
import PushRoom
package import Server
import Storage

/// All routes of notifications.
package struct PushAPI: Sendable {
    /// The feature's part of the OpenAPI document, in UTF-8.
    package static let description = PackageResources.openapi_yaml

    private let service: PushService
    private let bodyLimit: Int
    private let version: String
    private let topics: NtfyRoutes

    package init(_ service: PushService, bodyLimit: Int, version: String) {
        self.service = service
        topics = NtfyRoutes(service)
        self.bodyLimit = min(bodyLimit, 2 << 20)
        self.version = version
    }

    /// Adds the routes that need no key.
    package func addOpen(to router: GatewayRouter) {
        let health = PushHealthRoute(version: version)
        router.add(.get, "/api/v1/health", .open, health.health)
        router.add(.get, "/api/v1/pictures/:name", .open, PushPictureRoute(store: service.pictures.store).picture)
        // A request that asks for a WebSocket does not get here.
        router.add(.get, PushSocket.path, .open, PushSocket.refuse)
    }

    /// The latest deliveries as a topic of the console.
    package var topic: LiveTopic { PushLogRoutes(service, bodyLimit: bodyLimit).topic }

    /// The WebSockets: of devices, and of ntfy's clients.
    package func sockets(_ keys: KeyRing) -> [WebSocketRoute] {
        [PushSocket(service, keys: keys).route] + topics.sockets(keys)
    }

    /// Adds the routes. The router must require keys already.
    package func add(to router: GatewayRouter) {
        addSending(to: router)
        addDevices(to: router)
        addLibrary(to: router)
    }

    /// A key for some topics reaches these routes of `pushTopics` only. Sending checks the topic, in ``PushSendRoutes``.
    private func addSending(to router: GatewayRouter) {
        let send = PushSendRoutes(
            room: service.room, sending: service.sending, templates: service.templates,
            changes: service.changes, bodyLimit: bodyLimit)
        router.add(.post, "/api/v1/messages", .requireScope(.pushTopics), send.send)
        router.add(.get, "/api/v1/messages/:id", .requireScope(.pushTopics), send.one)
        router.add(.patch, "/api/v1/messages/:id", .requireScope(.pushTopics), send.update)
        router.add(.delete, "/api/v1/messages/:id", .requireScope(.pushTopics), send.recall)
        router.add(.post, "/api/v1/notifications", .requireScope(.pushTopics), send.pulpit)
        router.add(.post, "/api/v1/notifications/:name", .requireScope(.pushTopics), send.named)
        router.add(.post, "/ntfy", .requireScope(.pushTopics), send.ntfyJSON)
        router.add(.post, "/ntfy/:topic", .requireScope(.pushTopics), send.ntfy)
        router.add(.put, "/ntfy/:topic", .requireScope(.pushTopics), send.ntfy)
        if service.settings.hasNtfyRoot {
            // `GET /` belongs to the pages and to Ollama.
            router.add(.post, "/", .requireScope(.pushTopics), refusesOthers: false, send.ntfyRootJSON)
            // Other routes of one word have a path of their own, which counts before this one.
            router.add(.post, "/:topic", .requireScope(.pushTopics), refusesOthers: false, send.ntfyRoot)
            router.add(.put, "/:topic", .requireScope(.pushTopics), refusesOthers: false, send.ntfyRoot)
        }
        topics.add(to: router)
        let log = PushLogRoutes(service, bodyLimit: bodyLimit)
        router.add(.get, "/api/v1/log", .requireScope(.pushAdmin), log.log)
        // Senders of one topic and devices have no scope in common; the delivery says whose it is.
        router.add(.get, "/api/v1/deliveries/:id/explain", .requireKey, log.explain)
        router.add(.post, "/api/v1/deliveries/:id/receipts", .requireScope(.pushReceive), log.receipt)
        router.add(.post, "/api/v1/deliveries/:id/retry", .requireScope(.pushAdmin), takesFields: false, log.retry)
        router.add(.delete, "/api/v1/deliveries/:id", .requireScope(.pushAdmin), log.discard)
        router.add(.get, "/api/v1/stream", .requireScope(.pushReceive), log.stream)
        let actions = PushActionRoutes(
            store: service.room.library, runner: service.actions, bodyLimit: bodyLimit)
        router.add(.post, "/api/v1/execute", .requireScope(.pushSend), actions.execute)
        router.add(.delete, "/api/v1/execute/:id", .requireScope(.pushSend), send.recall)
        router.add(.get, "/api/v1/actions", .requireScope(.pushAdmin), actions.list)
        router.add(.post, "/api/v1/actions", .requireScope(.pushAdmin), actions.add)
        router.add(.put, "/api/v1/actions/:id", .requireScope(.pushAdmin), actions.change)
        router.add(.delete, "/api/v1/actions/:id", .requireScope(.pushAdmin), actions.delete)
    }

    private func addDevices(to router: GatewayRouter) {
        let devices = PushDeviceRoutes(
            store: service.room.devices, channels: service.channels, rules: service.rules, hub: service.hub,
            wakeSignals: service.wakeSignals, bodyLimit: bodyLimit)
        router.add(.get, "/api/v1/devices", .requireScope(.pushReceive), devices.list)
        router.add(.post, "/api/v1/devices", .requireScope(.pushReceive), devices.register)
        router.add(.get, "/api/v1/devices/:id", .requireScope(.pushReceive), devices.one)
        router.add(.put, "/api/v1/devices/:id", .requireScope(.pushReceive), devices.change)
        router.add(
            .delete, "/api/v1/devices/:id", .requireScope(.pushReceive), audit: .pushDeviceRemove, devices.delete)
    }

    private func addLibrary(to router: GatewayRouter) {
        let definitions = PushDefinitionRoutes(store: service.room.library, bodyLimit: bodyLimit)
        router.add(.get, "/api/v1/notifications/definitions", .requireScope(.pushSend), definitions.list)
        router.add(.post, "/api/v1/notifications/definitions", .requireScope(.pushAdmin), definitions.add)
        router.add(.put, "/api/v1/notifications/definitions/:id", .requireScope(.pushAdmin), definitions.change)
        router.add(.delete, "/api/v1/notifications/definitions/:id", .requireScope(.pushAdmin), definitions.delete)
        router.add(
            .post, "/api/v1/notifications/definitions/:id/preview", .requireScope(.pushSend), definitions.preview)
        let schedules = PushScheduleRoutes(
            store: service.room.schedules, sending: service.sending, templates: service.templates,
            rules: service.rules, bodyLimit: bodyLimit)
        router.add(.get, "/api/v1/schedules", .requireScope(.pushAdmin), schedules.list)
        router.add(.post, "/api/v1/schedules", .requireScope(.pushAdmin), schedules.add)
        router.add(.post, "/api/v1/schedules/preview", .requireScope(.pushAdmin), schedules.preview)
        router.add(.get, "/api/v1/schedules/:id", .requireScope(.pushAdmin), schedules.one)
        router.add(.put, "/api/v1/schedules/:id", .requireScope(.pushAdmin), schedules.change)
        router.add(.delete, "/api/v1/schedules/:id", .requireScope(.pushAdmin), schedules.delete)
        let config = PushConfigRoutes(
            room: service.room, channels: service.channels, sending: service.sending, bodyLimit: bodyLimit)
        router.add(.get, "/api/v1/config/apns", .requireScope(.pushAdmin), config.apns)
        router.add(.put, "/api/v1/config/apns", .requireScope(.pushAdmin), audit: .pushAPNs, config.setAPNs)
        router.add(.post, "/api/v1/config/apns/test", .requireScope(.pushAdmin), config.testAPNs)
        router.add(.get, "/api/v1/web-push/key", .requireKey, config.webPushKey)
        router.add(.get, "/api/v1/triggers", .requireScope(.pushAdmin), config.triggers)
        router.add(.put, "/api/v1/triggers", .requireScope(.pushAdmin), audit: .pushTriggers, config.setTriggers)
        let keys = PushKeyRoutes(keys: service.keys, bodyLimit: bodyLimit)
        router.add(.get, "/api/v1/api-keys", .requireScope(.admin), keys.list)
        router.add(.post, "/api/v1/api-keys", .requireScope(.admin), audit: .keyCreate, keys.add)
        router.add(.delete, "/api/v1/api-keys/:id", .requireScope(.admin), audit: .keyRevoke, keys.revoke)
    }
}

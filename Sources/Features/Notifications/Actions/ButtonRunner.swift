import Database
import Delivery
import GatewayAPI
import Push
import PushChannels
import PushRoom

/// Does what a pressed button asks of the gateway: a request, an action of the server or a shortcut on the automation device.
/// Each goes through the outbox as a notification of its own, once for each delivery and button.
struct ButtonRunner: Sendable {
    /// The hidden device whose deliveries are requests of buttons.
    private static let device = "buttons"

    let room: PushRoom
    let sending: PushSending
    let actions: ActionRunner

    /// Runs what a button of a delivery asks for; nothing for a button that the device handles itself.
    ///
    /// - Throws: ``PushRefusal``, ``StorageError``.
    func press(_ button: String, of delivery: String) async throws {
        let (entry, _, _) = try await room.log.entry(delivery)
        guard let value = (try? JSONDocument(parsing: Array(entry.message.body)))?.value,
            let message = try? PushMessage(value), let action = message.actions.first(where: { $0.id == button }),
            action.needsServer
        else { return }
        let origin = "button/\(delivery)/\(button)"
        var call = PushExecuteRequest()
        call.input = action.input
        switch action.effect {
        case .server(let name): call.action = name
        case .shortcut(let name): call.shortcut = name
        case .request: return try await request(action, origin, entry)
        default: return
        }
        _ = try await actions.run(call, sender: entry.message.sender, origin: origin)
    }

    private func request(_ action: PushAction, _ origin: String, _ entry: PushLogEntry) async throws {
        var registration = PushRegistration(
            name: Self.device, channel: PushChannelKind.webhook.rawValue, address: Self.device,
            target: WebhookForm.buttons)
        registration.isHidden = true
        let device = try await room.devices.register(registration).device
        var message = PushMessage()
        message.title = action.title
        message.actions = [action]
        message.priority = .high
        var order = PushOrder(message)
        order.topic = "actions"
        order.source = "action"
        order.origin = origin
        order.sender = entry.message.sender
        _ = try await sending.submit(order, to: device)
    }
}

extension PushAction {
    /// Whether a press makes the gateway do something.
    var needsServer: Bool {
        if case .server = effect { return true }
        return runsOnServer
    }
}

import Access
import GatewayAPI
import HTTPTypes
import Hummingbird
import NIOCore
import Push
import Schedules
import Server
import ServiceLifecycle

/// The routes with which ntfy's clients read topics, below `/ntfy` and, with ``PushSettings/hasNtfyRoot``, at ntfy's own paths.
///
/// Reading needs the whole scope `push:send`, as registering a device does: a key for some topics may send there, but sees
/// nothing of what others send.
struct NtfyRoutes: Sendable {
    /// The paths, without the last word.
    private let places: [String]
    private let reading: PushReading
    private let readers = EventReaders(of: "topics", limit: 1000, limitOfKey: 64)

    init(_ service: PushService) {
        reading = service.reading
        places = service.settings.hasNtfyRoot ? ["/ntfy/:topic", "/:topic"] : ["/ntfy/:topic"]
    }

    func add(to router: GatewayRouter) {
        for place in places {
            let refusesOthers = place != "/:topic"
            for format in NtfyFormat.allCases {
                router.add(
                    .get, "\(place)/\(format.rawValue)", .requireScope(.pushSend), refusesOthers: refusesOthers
                ) { try await read($0, $1, format) }
            }
            router.add(
                .get, "\(place)/auth", .requireScope(.pushSend), refusesOthers: refusesOthers, check)
            // A request that asks for a WebSocket does not get here.
            router.add(.get, "\(place)/ws", .requireScope(.pushSend), refusesOthers: refusesOthers, PushSocket.refuse)
        }
    }

    /// The WebSockets of `GET /TOPIC/ws`.
    func sockets(_ keys: KeyRing) -> [WebSocketRoute] {
        places.map { place in
            WebSocketRoute("\(place)/ws") { connection, request in await serve(connection, request, keys) }
        }
    }

    /// `GET /:topic/json`, `/:topic/sse` and `/:topic/raw`
    private func read(
        _ request: Request, _ context: GatewayRequestContext, _ format: NtfyFormat
    ) async throws -> Response {
        let place = try readers.take(context.identity.rootKey)
        let first = try await NtfyReader(try Self.subscription(request, context), reading)
        return EventStream.response(
            place, to: context.eventReader(.pushSend), contentType: format.contentType
        ) { writer, gone in
            var reader = first
            reader.isOver = { gone.isSet || Task.isStopping }
            let wakeSignal = reader.wakeSignal
            gone.onSet { wakeSignal.signal() }
            while let events = try await reader.next() {
                for event in events { try await writer.write(ByteBuffer(bytes: format.text(of: event))) }
            }
        }
    }

    /// `GET /:topic/auth`: whether the key may read.
    private func check(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        _ = try Self.subscription(request, context)
        return JSONReply.response(JSONValue.object(["success": .bool(true)]))
    }

    private func serve(_ connection: WebSocketConnection, _ request: WebSocketRequest, _ keys: KeyRing) async {
        do {
            let identity = try await request.identity()
            try keys.admit(identity, to: .requireScope(.pushSend))
            let place = try readers.take(identity.rootKey)
            defer { withExtendedLifetime(place) {} }
            let first = try await NtfyReader(
                try Self.subscription(request.head, topics: request.parameter ?? "", query: request.query), reading)
            await withTaskGroup(of: Void.self) { group in
                let mayStillRead = keys.question(of: identity, for: .pushSend)
                group.addTask {
                    while (try? await Task.sleep(for: .seconds(1))) != nil {
                        guard (try? await mayStillRead()) == false else { continue }
                        return connection.refuse("the key may not read topics any more")
                    }
                }
                group.addTask {
                    var reader = first
                    do {
                        while let events = try await reader.next() {
                            for event in events {
                                try await connection.send(String(decoding: event.json, as: UTF8.self))
                            }
                        }
                    } catch { reading.logEnd("a WebSocket of ntfy", error) }
                    // The other task waits for messages, which end with the connection.
                    connection.refuse("the topics end here")
                }
                // What ntfy's clients send means nothing.
                for await _ in connection.messages {}
                group.cancelAll()
                first.wakeSignal.signal()
            }
        } catch let error as GatewayError {
            connection.refuse(error.message)
        } catch let error as PushRefusal {
            connection.refuse("\(error)")
        } catch is AccessRefusal {
            connection.refuse("the key may not read topics, or not now: that needs the scope push:send")
        } catch {
            reading.logEnd("a WebSocket of ntfy", error)
        }
    }

    private static func subscription(
        _ request: Request, _ context: GatewayRequestContext
    ) throws -> NtfySubscription {
        try subscription(
            request.head, topics: try context.pathText("topic", maxBytes: 4096),
            query: request.queryFields)
    }

    private static func subscription(
        _ head: HTTPRequest, topics: String, query: [(name: String, value: String)]
    ) throws -> NtfySubscription {
        let isRoot = head.path?.hasPrefix("/ntfy/") != true
        guard !isRoot || !PathSuggestion.reserved.contains(topics.lowercased()) else {
            throw GatewayError(.notFound, .notFound, "there is no topic \(topics.prefix(64)) at the root; use /ntfy/")
        }
        let headers = head.headerFields.map { (name: $0.name.canonicalName, value: $0.value) }
        return try refusing { () throws(PushFieldError) in
            try NtfySubscription(topics: topics, headers: headers, query: query, now: PushTime.now)
        }
    }
}

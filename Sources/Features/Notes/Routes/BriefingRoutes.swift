import Access
import AssociationRoom
import GatewayAPI
import Goals
import HTTPTypes
import Hummingbird
import PushRoom
import Server
import KeyRoom
import Storage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The briefings of days, and `GET /api/briefing/associations`: the stored pairs of similar notes.
struct BriefingRoutes: Sendable {
    let store: AssociationRoom
    let service: BriefingService

    /// `GET /api/briefing/today`
    func today(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await reply(service.today, context)
    }

    /// `GET /api/briefing/:date`
    func ofDay(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let text = try context.pathText("date", maxBytes: 64)
        guard let day = LocalDay(parsing: text) else {
            throw GatewayError.field("date", "expected a day such as 2026-03-14")
        }
        return try await reply(day, context)
    }

    private func reply(_ day: LocalDay, _ context: GatewayRequestContext) async throws -> Response {
        let found = try await context.scan { [service] in try await service.briefing(of: day) }
        guard let briefing = found else {
            throw GatewayError(.notFound, .notFound, "there is no briefing of \(day.description)")
        }
        return JSONReply.response(briefing)
    }

    func associations(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let minSimilarity = try request.number("minSimilarity", default: 0.7, in: -1...1)
        let days = try request.number("recentDays", default: 7, in: 0...NotesLimits.maxDays)
        let limit = try request.wholeNumber("limit", default: 10, in: 1...NotesLimits.maxPage)
        let since = Int64(Date.now.timeIntervalSince1970 - days * 86_400)
        let cursor = try request.cursor()
        let page = try await context.scan { [store] in
            try await store.page(minSimilarity: minSimilarity, since: since, after: cursor, limit: limit)
        }
        return JSONReply.response(AssociationsResponse(associations: page.items, nextCursor: page.next?.text))
    }
}

/// `POST /api/devices/register` and `POST /api/devices/unregister`.
struct DeviceRoutes: Sendable {
    let store: PushDeviceStore
    let bodyLimit: Int

    func register(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let device = try await JSONRequest.decode(DeviceRequest.self, from: request, limit: bodyLimit, in: context)
        let token = try FieldCheck.text(device.token, "token", maxBytes: NotesLimits.maxTokenBytes) as String
        let platform = try FieldCheck.text(device.platform, "platform", maxBytes: 64)
        var push = PushRegistration(apnsToken: token, name: try name(device))
        push?.platform = platform
        push?.owner = context.identity.keyID
        push?.environment = try device.environment.map { word throws(GatewayError) in
            try FieldCheck.word(word, "environment", of: ["production", "sandbox"])
        }
        push?.bundleID = try FieldCheck.text(device.bundleId, "bundle_id", maxBytes: 155)
        let scopes = context.identity.grant.scopes
        push?.mayTakeOver = scopes.allow(.pushAdmin)
        // A key that may not receive notifications registers its token only.
        if !scopes.allow(.pushReceive) { push = nil }
        try await store.register(token: token, platform: platform, push: push)
        return JSONReply.response(DeviceResponse(status: "registered"))
    }

    private func name(_ device: DeviceRequest) throws -> String {
        try FieldCheck.text(device.name, "name", maxBytes: 128) ?? "Phone"
    }

    func unregister(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let device = try await JSONRequest.decode(DeviceRequest.self, from: request, limit: bodyLimit, in: context)
        let token = try FieldCheck.text(device.token, "token", maxBytes: NotesLimits.maxTokenBytes) as String
        try await store.unregister(
            token: token, key: context.identity.keyID, ofAnyKey: context.identity.grant.scopes.allow(.pushAdmin))
        return JSONReply.response(DeviceResponse(status: "unregistered"))
    }
}

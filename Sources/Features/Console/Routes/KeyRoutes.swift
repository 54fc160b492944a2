import Access
import GatewayAPI
import HTTPTypes
import Hummingbird
import Server
import KeyRoom

/// The keys of clients with their limits and use: `/api/admin/keys`.
struct KeyRoutes: Sendable {
    /// The maximum number of keys in a page.
    static let maxPage = 500
    /// The days of use that one key shows.
    static let days: Int64 = 30
    /// The largest body.
    static let bodyLimit = 65_536
    /// The maximum number of scopes, and of models, in a body.
    private static let maxWords = (scopes: 50, models: 1000)

    /// `GET /api/admin/keys`: live keys with today's use.
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 100, in: 1...Self.maxPage)
        let after = try request.rowID("cursor") ?? 0
        let (keys, ring) = try store(context)
        let today = UTCDay(unixSeconds: ring.clock.unixSeconds())
        let all = try await keys.all()
        let rest = all.filter { $0.revokedAt == nil && $0.id > after }
        let page = rest.prefix(limit)
        let usage = try await keys.usage(since: today)
        let families = KeyFamilies(all)
        return JSONReply.response(
            AdminKeyList(
                keys: page.map { AdminKey($0, in: families, usage: usage, prices: ring.meter.priceList) },
                nextCursor: page.count < rest.count ? page.last.map { "\($0.id)" } : nil))
    }

    /// `GET /api/admin/keys/:id`: a live key with the use of the last 30 days.
    func show(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let (keys, ring) = try store(context)
        let record = try await Self.live(context.rowID(), keys)
        let first = UTCDay(unixSeconds: ring.clock.unixSeconds() - (Self.days - 1) * UTCDay.seconds)
        return JSONReply.response(
            AdminKey(
                record, in: KeyFamilies(try await keys.all()), usage: try await keys.usage(since: first),
                prices: ring.meter.priceList))
    }

    /// `POST /api/admin/keys`: a key, shown once.
    ///
    /// A gateway without keys answers this machine without one. Its first key would close it to all that use it so.
    func add(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let (keys, ring) = try store(context)
        guard context.identity != .anonymous else {
            throw GatewayError(
                .conflict, .init(rawValue: "no_keys"),
                "this gateway has no keys and needs none; make the first one with `selene keys create NAME`")
        }
        let body = try await JSONRequest.decode(NewAdminKey.self, from: request, limit: Self.bodyLimit, in: context)
        let name = try FieldCheck.text(body.name, "name", maxBytes: 100) as String
        let change = AdminKeyChange(
            scopes: body.scopes, models: body.models, expires: body.expires,
            requestsPerMinute: body.requestsPerMinute.map { .set($0) } ?? .keep,
            tokensPerDay: body.tokensPerDay.map { .set($0) } ?? .keep,
            requestsAtOnce: body.requestsAtOnce.map { .set($0) } ?? .keep,
            budgetPerMonth: body.budgetPerMonth.map { .set($0) } ?? .keep, priority: body.priority)
        let grant = try Self.grant(KeyGrant(), change, now: ring.clock.unixSeconds())
        guard context.identity.grant.mayGive(grant) else {
            throw ring.refuse(context.identity, AccessRefusal.mayNotGive)
        }
        context.audits(name, detail: grant.scopes.words.joined(separator: " "))
        let parent = context.identity.keyID
        let signing = try FieldCheck.parsed(body.publicKey, "public_key", as: "a line of a .pub file, ssh-ed25519 …") {
            SigningKey(line: $0)
        }
        let (record, secret): (KeyRecord, String?)
        if let signing {
            (record, secret) = (try await keys.add(signing, name: name, grant: grant, parent: parent), nil)
        } else {
            let created = try await keys.create(
                name: name, grant: grant, parent: parent, isForPaths: body.inPath == true)
            (record, secret) = (created.record, created.secret)
        }
        context.audits(name, id: record.id, detail: grant.scopes.words.joined(separator: " "))
        var shown = AdminKey(record, in: KeyFamilies(try await keys.all()), usage: [], prices: ring.meter.priceList)
        shown.key = secret
        return JSONReply.response(shown, status: .created)
    }

    /// `PATCH /api/admin/keys/:id`: changes rights and limits; the key itself stays.
    func edit(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let (keys, ring) = try store(context)
        let record = try await Self.live(context.rowID(), keys)
        let change = try await JSONRequest.decode(
            AdminKeyChange.self, from: request, limit: Self.bodyLimit, in: context)
        let now = ring.clock.unixSeconds()
        let wanted = try Self.grant(record.grant, change, now: now)
        context.audits(record.name, id: record.id, detail: wanted.scopes.words.joined(separator: " "))
        guard context.identity.grant.mayGive(wanted) else {
            throw ring.refuse(context.identity, AccessRefusal.mayNotGive)
        }
        // Names of keys may be numbers, so the key is found by its name.
        let changed = try await keys.change(record.name) { $0 = (try? Self.grant($0, change, now: now)) ?? $0 }
        return JSONReply.response(
            AdminKey(
                changed, in: KeyFamilies(try await keys.all()),
                usage: try await keys.usage(since: UTCDay(unixSeconds: now)), prices: ring.meter.priceList))
    }

    /// `DELETE /api/admin/keys/:id`
    func revoke(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let (keys, _) = try store(context)
        let record = try await Self.live(context.rowID(), keys)
        context.audits(record.name, id: record.id)
        let made = try await keys.revoke(record.name)
        if !made.isEmpty { context.audits(record.name, id: record.id, detail: "and \(made.joined(separator: ", "))") }
        return Response(status: .noContent)
    }

    private let keys: KeyRoom

    init(_ keys: KeyRoom) { self.keys = keys }

    private func store(_ context: GatewayRequestContext) throws -> (KeyRoom, KeyRing) {
        guard let ring = context.keys else { throw GatewayError(.notFound, .notFound, "this gateway has no keys") }
        return (keys, ring)
    }

    private static func live(_ id: Int64, _ keys: KeyRoom) async throws -> KeyRecord {
        guard let record = try await keys.all().first(where: { $0.id == id && $0.revokedAt == nil }) else {
            throw GatewayError(.notFound, .notFound, "there is no live key \(id)")
        }
        return record
    }

    /// A grant after a change.
    private static func grant(_ old: KeyGrant, _ change: AdminKeyChange, now: Int64) throws -> KeyGrant {
        var grant = old
        if let words = change.scopes {
            guard !words.isEmpty else { throw GatewayError.field("scopes", "must not be empty") }
            let words = try FieldCheck.texts(words, "scopes", maxCount: maxWords.scopes, maxBytes: 100) ?? []
            let known = KeyScope.all.map(\.rawValue)
            grant.scopes = Set(
                try words.enumerated().map { place, word in
                    let scope = KeyScope(rawValue: word)
                    return scope.topic != nil
                        ? scope : KeyScope(rawValue: try FieldCheck.word(word, "scopes[\(place)]", of: known))
                })
        }
        if let models = try FieldCheck.texts(change.models, "models", maxCount: maxWords.models, maxBytes: 300) {
            if let place = models.firstIndex(where: { $0.contains(where: \.isWhitespace) }) {
                throw GatewayError.field("models[\(place)]", "must not contain spaces")
            }
            grant.models = models
        }
        let wanted = try FieldCheck.parsed(change.expires, "expires", as: "30d, 12h, a date or never") {
            KeyExpiry($0, now: now)
        }
        if let wanted {
            if let end = wanted.unixSeconds, end <= now { throw GatewayError.field("expires", "is in the past") }
            grant.expiresAt = wanted.unixSeconds
        }
        grant.requestsPerMinute = try limit(
            change.requestsPerMinute, "requests_per_minute", old.requestsPerMinute, KeyGrant.maxRequestsPerMinute)
        grant.tokensPerDay = try limit(
            change.tokensPerDay, "tokens_per_day", old.tokensPerDay, KeyGrant.maxTokensPerDay)
        grant.requestsAtOnce = try limit(
            change.requestsAtOnce, "requests_at_once", old.requestsAtOnce, KeyGrant.maxRequestsAtOnce)
        switch change.budgetPerMonth {
        case .keep: break
        case .clear: grant.budgetPerMonth = nil
        case .set(let units):
            guard let budget = Money(units: units), budget > .zero else {
                throw GatewayError.field("budget_per_month", "expected more than 0, at most \(Int(Money.most))")
            }
            grant.budgetPerMonth = budget
        }
        let priority = try FieldCheck.parsed(change.priority, "priority", as: "low, normal or high") {
            KeyPriority(rawValue: $0)
        }
        grant.priority = priority ?? old.priority
        return grant
    }

    private static func limit(_ update: FieldUpdate<Int>, _ name: String, _ old: Int?, _ most: Int) throws -> Int? {
        switch update {
        case .keep: return old
        case .clear: return nil
        case .set(let value): return try FieldCheck.limit(value, name, default: nil, in: 1...most)
        }
    }
}

extension AdminKey {
    /// The wire form of a key, with its part of the use of all keys.
    fileprivate init(
        _ record: KeyRecord, in families: KeyFamilies, usage: [(place: KeyDay, usage: KeyUsage)], prices: PriceList
    ) {
        let grant = families.effective(record).grant
        let hasCosts = !prices.isEmpty
        self.init(
            id: record.id, name: record.name, prefix: record.prefix, kind: record.kind.rawValue,
            scopes: grant.scopes.words, models: grant.models,
            expiresAt: grant.expiresAt.map(Timestamp.text), requestsPerMinute: grant.requestsPerMinute,
            tokensPerDay: grant.tokensPerDay, requestsAtOnce: grant.requestsAtOnce,
            budgetPerMonth: grant.budgetPerMonth?.units, priority: grant.priority.rawValue,
            currency: prices.currency.isEmpty ? nil : prices.currency, createdAt: record.createdAt,
            lastUsedAt: record.lastUsedAt,
            usage: usage.filter { $0.place.key == record.id }.map {
                Day(
                    day: $0.place.day.text, requests: $0.usage.requests, refused: $0.usage.refused,
                    promptTokens: $0.usage.promptTokens, completionTokens: $0.usage.completionTokens,
                    cost: hasCosts || $0.usage.cost > .zero ? $0.usage.cost.units : nil,
                    costElsewhere: prices.costElsewhere(
                        prompt: $0.usage.promptTokens, completion: $0.usage.completionTokens)?.units)
            })
        parent = record.parent
        parentName = record.parent.flatMap { families.line(of: $0).first?.name }
        children = families.descendants(of: record.id).filter { $0.revokedAt == nil }.map(\.name)
    }
}

import Delivery
import GatewayAPI
import Push
import PushRoom
import Schedules
import Synchronization

/// The rules of devices, read once, and the zones that they name.
final class RuleBook: Sendable {
    /// Rules in the cache at most.
    private static let maxRules = 1000

    private let cache = Mutex<[String: DeviceRules]>([:])
    private let data: Mutex<(zones: ZoneDatabase, version: String?)>

    init(_ zones: ZoneDatabase) { data = Mutex((zones, zones.readVersion())) }

    /// The zones of the operating system.
    var zones: ZoneDatabase { data.withLock { $0.zones } }

    /// Reads the zones anew when their data changed; returns the version.
    func refreshZones() -> String? {
        let version = zones.readVersion()
        let isNew = data.withLock { data in
            guard data.version != version else { return false }
            data = (data.zones.reopened(), version)
            return true
        }
        if isNew { cache.withLock { $0.removeAll() } }
        return version
    }

    /// The rules of a device, from a cache.
    func rules(of settings: String) -> DeviceRules {
        if let known = cache.withLock({ $0[settings] }) { return known }
        let read = (try? JSONDocument(parsing: Array(settings.utf8)).decode(PushDeviceSettings.self)).flatMap {
            try? DeviceRules($0, zones: zones)
        }
        let found = read ?? .none
        cache.withLock { cache in
            if cache.count >= Self.maxRules { cache.removeAll() }
            cache[settings] = found
        }
        return found
    }

    /// What the rules say of a delivery.
    func decision(_ work: PushWork, _ message: PushMessage, _ now: Instant) -> DeliveryDecision {
        // A retry and a repeat have paid the rate already.
        let isFirst = work.delivery.attempts == 0 && work.delivery.repeats == 0
        let policy = rules(of: work.device.settings).policy(topic: work.message.topic, hasRate: isFirst)
        let item = DeliveryMessage(
            id: work.delivery.uuid, topic: work.message.topic, priority: message.priority,
            notBefore: work.message.notBefore.map(Instant.init(milliseconds:)),
            expires: work.message.expires.map(Instant.init(milliseconds:)), collapseKey: work.message.collapseKey,
            isDigest: work.message.source == "digest")
        let state = DeliveryState(
            supersededBy: work.supersededBy,
            bucket: TokenBucket(fullAt: work.bucketFullAt.map(Instant.init(milliseconds:))))
        return policy.decide(item, at: now, state: state)
    }
}

import PushChannels
import PushRoom

/// The wakeSignals of what waits for notifications: a lane for each channel, the digests and the schedules.
struct PushWakeSignals: Sendable {
    let lanes: [PushChannelKind: WakeSignal]
    let digests = WakeSignal()
    let schedules = WakeSignal()

    init() {
        lanes = Dictionary(PushChannelKind.allCases.map { ($0, WakeSignal()) }, uniquingKeysWith: { first, _ in first })
    }

    /// Wakes the lanes of devices.
    func wake(_ devices: [StoredPushDevice]) {
        for kind in Set(devices.compactMap(\.kind)) { lanes[kind]?.signal() }
    }

    /// Wakes everything, after a change that may make any delivery due.
    func wakeAll() {
        for wakeSignal in lanes.values { wakeSignal.signal() }
        digests.signal()
        schedules.signal()
    }
}

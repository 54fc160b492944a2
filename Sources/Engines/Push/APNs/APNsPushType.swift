import Delivery

/// The kinds of pushes that APNs knows (`apns-push-type`).
///
/// `mdm` is missing: it needs the certificate of a device management service, and this channel signs with tokens.
package enum APNsPushType: String, Sendable, CaseIterable {
    /// Shows something, plays a sound or sets the badge.
    case alert
    /// Wakes the app without showing anything.
    case background
    /// Asks for the person's location.
    case location
    /// Announces a call.
    case voip
    /// Updates a watch's complication.
    case complication
    /// Tells a file provider about changes.
    case fileProvider = "fileprovider"
    /// Starts, updates or ends a Live Activity.
    case liveActivity = "liveactivity"
    /// Announces speech of Push to Talk.
    case pushToTalk = "pushtotalk"
    /// Reloads the app's widgets.
    case widgets
    /// Reloads the app's controls.
    case controls

    /// The type that a message has when the sender names none.
    package init(for message: PushMessage) {
        if message.activity != nil {
            self = .liveActivity
        } else {
            self = message.isVisible || message.badge != nil || message.sound != nil ? .alert : .background
        }
    }

    /// What follows the bundle id in the topic.
    package var topicSuffix: String {
        switch self {
        case .alert, .background: ""
        case .location: ".location-query"
        case .voip: ".voip"
        case .complication: ".complication"
        case .fileProvider: ".pushkit.fileprovider"
        case .liveActivity: ".push-type.liveactivity"
        case .pushToTalk: ".voip-ptt"
        case .widgets: ".push-type.widgets"
        case .controls: ".push-type.controls"
        }
    }

    /// The largest payload for a device, in bytes.
    package var payloadLimit: Int { self == .voip ? 5120 : 4096 }

    /// Whether APNs must not store the push for a device that is offline.
    var isImmediate: Bool { self == .voip || self == .pushToTalk }

    /// The header `apns-priority`: 10 for at once, 5 when it suits the device's power, 1 for later still.
    func priority(of message: PushMessage) -> Int {
        switch self {
        case .background: return 5
        case .voip, .pushToTalk: return 10
        case .liveActivity:
            // Priority 10 counts against the activity's hourly budget.
            return message.activity?.event == .start || message.isVisible || message.priority >= .high ? 10 : 5
        default:
            switch message.priority {
            case .minimum: return 1
            case .low: return 5
            case .normal, .high, .emergency: return 10
            }
        }
    }
}

import Foundation
package import GatewayAPI

extension Timestamp {
    /// The current time, as ``text(_:)`` formats it.
    package static var now: String { text(Int64(Date.now.timeIntervalSince1970)) }

    /// The current time in milliseconds since 1970.
    package static var milliseconds: Int64 { Int64(Date.now.timeIntervalSince1970 * 1000) }
}

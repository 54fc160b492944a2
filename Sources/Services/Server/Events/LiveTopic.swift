package import GatewayAPI

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Something that the console shows live. Its name is the name of its events.
package struct LiveTopic: Sendable {
    /// The state at one moment.
    package struct Look: Sendable, Equatable {
        /// The state as JSON.
        package let data: Data
        /// What a change is judged by: the state without figures that always move, such as times.
        package let essence: Data

        /// Creates a state.
        package init(data: Data, essence: Data) { (self.data, self.essence) = (data, essence) }
    }

    /// The name, such as `jobs`.
    package let name: String
    /// The scope that a reader's key needs besides `admin`.
    package let scope: KeyScope
    /// Returns the state of now.
    package let look: @Sendable () async throws -> Look

    /// Creates a topic whose every change counts.
    ///
    /// - Parameter read: Returns the state. It is called at most once a second, and only while somebody reads.
    package init<Value: Encodable & Sendable>(
        _ name: String, _ scope: KeyScope, _ read: @escaping @Sendable () async throws -> Value
    ) {
        (self.name, self.scope) = (name, scope)
        look = {
            let data = try JSONReply.data(try await read())
            return Look(data: data, essence: data)
        }
    }

    /// Creates a topic of which some changes do not count.
    ///
    /// - Parameter essence: Returns the state without what does not count.
    package init<Value: Encodable & Sendable>(
        _ name: String, _ scope: KeyScope, essence: @escaping @Sendable (Value) -> Value,
        _ read: @escaping @Sendable () async throws -> Value
    ) {
        (self.name, self.scope) = (name, scope)
        look = {
            let value = try await read()
            return Look(data: try JSONReply.data(value), essence: try JSONReply.data(essence(value)))
        }
    }
}

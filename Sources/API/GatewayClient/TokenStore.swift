import Foundation

#if canImport(Security)
import Security
#endif

/// The source of the client's API key. It is read before every attempt, so a changed key takes effect at once.
public protocol TokenStore: Sendable {
    /// Returns the bearer token; nil when the gateway needs none.
    func token() async throws -> String?
}

/// A fixed key, or none.
public struct StaticTokenStore: TokenStore {
    private let value: String?

    /// Creates a store; an empty token counts as none.
    public init(_ token: String?) { value = token.flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns the fixed key.
    public func token() -> String? { value }
}

/// A key in an environment variable.
public struct EnvironmentTokenStore: TokenStore {
    /// The variable with the key of a client.
    public static let variable = "SELENE_KEY"
    /// The variable's former name, which also means the token of a gateway. Its value counts only if it is a client's key.
    public static let formerVariable = "SELENE_API_TOKEN"

    private let variable: String

    /// Creates a store that reads `SELENE_KEY`, or another variable.
    public init(_ variable: String = Self.variable) { self.variable = variable }

    /// Returns the variable's current value; nil when it is absent or empty.
    public func token() -> String? {
        Self.value(variable) ?? (variable == Self.variable ? Self.formerToken : nil)
    }

    /// The key of a client under the former name; nil when there is none, or `SELENE_KEY` is set.
    public static var formerToken: String? {
        guard value(variable) == nil, let old = value(formerVariable), old.hasPrefix("slk_") else { return nil }
        return old
    }

    private static func value(_ variable: String) -> String? {
        ProcessInfo.processInfo.environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }
}

#if canImport(Security)
/// A key in the keychain, readable after the first unlock, on this device only.
public struct KeychainTokenStore: TokenStore {
    private let service: String
    private let account: String

    /// Creates a store for one generic password.
    public init(service: String = "selene-gateway", account: String = "default") {
        self.service = service
        self.account = account
    }

    /// Returns the key; nil when none is stored.
    ///
    /// - Throws: An `NSError` with the keychain's status when the key cannot be read.
    public func token() throws -> String? {
        var query = identity
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        if status == errSecItemNotFound { return nil }
        try check(status)
        guard let data = found as? Data else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    /// Stores a key and replaces the previous one; nil removes it.
    ///
    /// - Throws: An `NSError` with the keychain's status.
    public func save(_ token: String?) throws {
        let removed = SecItemDelete(identity as CFDictionary)
        if removed != errSecItemNotFound { try check(removed) }
        guard let token else { return }
        var item = identity
        item[kSecValueData as String] = Data(token.utf8)
        item[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        try check(SecItemAdd(item as CFDictionary, nil))
    }

    private var identity: [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            kSecAttrAccount as String: account,
        ]
    }

    private func check(_ status: OSStatus) throws {
        guard status == errSecSuccess else { throw NSError(domain: NSOSStatusErrorDomain, code: Int(status)) }
    }
}
#endif

import Foundation

#if canImport(Security)
import Security
#endif

/// Where the client's key comes from. It is asked before every attempt, so a key that changes is used at once.
public protocol TokenStore: Sendable {
    /// The bearer token; nil when the gateway needs none.
    func token() async throws -> String?
}

/// A key that does not change, or none.
public struct StaticTokenStore: TokenStore {
    private let value: String?

    /// Creates a store; an empty token is none.
    public init(_ token: String?) { value = token.flatMap { $0.isEmpty ? nil : $0 } }

    /// The key.
    public func token() -> String? { value }
}

/// A key in an environment variable.
public struct EnvironmentTokenStore: TokenStore {
    private let variable: String

    /// Creates a store that reads `SELENE_API_TOKEN`, or another variable.
    public init(_ variable: String = "SELENE_API_TOKEN") { self.variable = variable }

    /// The variable's value now; nil when it is absent or empty.
    public func token() -> String? {
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

    /// The key; nil when none is stored.
    ///
    /// - Throws: An `NSError` with the keychain's status when it cannot be read.
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

    /// Stores a key in place of the one that was there; nil removes it.
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

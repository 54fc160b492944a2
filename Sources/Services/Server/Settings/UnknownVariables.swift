import Text

/// Environment variables that look like settings and are none.
package enum UnknownVariables {
    /// Variables of the commands, which are no settings of the gateway.
    private static let others: Set<String> = ["SELENE_CONFIG", "SELENE_URL", "SELENE_KEY"]

    /// A sentence for each variable that begins with `SELENE_` and is unknown, with the nearest known name.
    ///
    /// - Parameters:
    ///   - settings: All settings.
    ///   - isNamed: Whether a setting names a variable, such as one with the key of a provider.
    package static func sentences(
        _ environment: [String: String], settings: [Setting], isNamed: (String) -> Bool = { _ in false }
    ) -> [String] {
        let known = Set(settings.map(\.environment)).union(others)
        let unknown = environment.keys.filter { name in
            name.uppercased().hasPrefix("SELENE_") && !name.hasPrefix("SELENE_TEST_") && !known.contains(name)
                && !isNamed(name)
        }
        return unknown.sorted().map { name in
            let upper = name.uppercased()
            let near = known.contains(upper) ? upper : NearestName.of(name, among: known.sorted())
            return "the environment variable \(name) is no setting"
                + (near.map { "; did you mean \($0)?" } ?? "; `selene config` lists them")
        }
    }
}

public import Retrieval
package import Server

/// The settings of retrieval.
public struct SearchSettings: Sendable {
    /// All settings of this feature, in the order of `selene config`.
    package static let all: [Setting] = [.index, .fusion, .queryTimeout, .weekStart]

    /// The folder of the index files; nil for none.
    public var indexFolder: String?
    /// The fusion of a request that names none.
    public var fusion: FusionMethod
    /// The timeout for a query's vector.
    public var queryTimeout: Duration
    /// The first day of a week in questions such as "last week".
    public var weekStart: WeekStart

    /// The days that a week may begin on; the number is 0 for Sunday.
    public enum WeekStart: String, Sendable, CaseIterable {
        case monday, saturday, sunday

        /// 0 for Sunday.
        package var weekday: Int {
            switch self {
            case .sunday: 0
            case .monday: 1
            case .saturday: 6
            }
        }
    }

    /// Reads and checks the settings.
    ///
    /// - Parameter database: The path of the database; index files are beside it by default.
    /// - Throws: ``ConfigurationError``.
    package init(_ reader: SettingsReader, database: String) throws {
        indexFolder =
            switch reader.text(.index) ?? "" {
            case "auto", "": database + ".index"
            case "off": nil
            default: reader.path(.index)
            }
        let fusionName = reader.text(.fusion) ?? ""
        guard let fusion = FusionMethod.parse(fusionName) else {
            throw ConfigurationError.invalid(
                .fusion, fusionName, reader.origin(of: .fusion), "convex, convex:ALPHA, rrf, rrf:K or dbsf")
        }
        self.fusion = fusion
        queryTimeout = try reader.seconds(.queryTimeout)
        weekStart = try reader.word(.weekStart, as: WeekStart.self)
    }
}

extension Setting {
    package static let index = Setting(
        "index", default: "auto", "folder of the index files; auto: next to the database, off: none")
    package static let fusion = Setting(
        "fusion", default: "convex", "default fusion: convex, convex:ALPHA, rrf, rrf:K or dbsf")
    package static let queryTimeout = Setting(
        "query_timeout", default: "15", "seconds to wait for a query's vector before falling back to keywords")
    package static let weekStart = Setting(
        "week_start", default: "monday", "first day of a week in questions: monday, saturday or sunday")
}

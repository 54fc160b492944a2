import Access

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PriceList {
    /// Reads the file that `SELENE_PRICES` names; an empty list when it names none.
    ///
    /// - Throws: ``ConfigurationError``.
    init(_ reader: SettingsReader) throws {
        guard let path = reader.path(.prices) else {
            self = .none
            return
        }
        func fault(_ expected: String) -> ConfigurationError {
            .invalid(.prices, path, reader.origin(of: .prices), expected)
        }
        guard let data = try? Data(contentsOf: URL(filePath: path)), data.count <= Self.maxBytes,
            let text = String(data: data, encoding: .utf8)
        else { throw fault("a text file of at most \(Self.maxBytes >> 20) MiB with prices") }
        do {
            self = try PriceList(text)
        } catch {
            throw fault("in its line \(error.line) \(error.expected)")
        }
    }
}

package import Foundation
import Machine

/// The configuration file, changed by a program as a person would change it.
package enum ConfigurationFile {
    private static let head = "# Selene Gateway's settings; `selene config` lists all of them.\n\n"

    /// Sets a key in a file, or takes it out. Comments and other keys stay. Makes the file where there is none.
    ///
    /// - Parameters:
    ///   - value: A text in one line; nil for the default.
    ///   - check: Rejects the new text.
    /// - Throws: ``ConfigurationError``, and what `check` throws.
    package static func set(
        _ key: String, to value: String?, in path: String, check: (Data) async throws -> Void
    ) async throws {
        guard value?.contains(where: \.isNewline) != true else {
            throw ConfigurationError(message: "\"\(key)\": expected a text in one line")
        }
        let file = URL(filePath: path).resolvingSymlinksInPath().path
        let old = try read(file)
        let text = try ConfigurationText.setting(key, to: value, in: old ?? head, path)
        let data = Data(text.utf8)
        guard data != old.map({ Data($0.utf8) }) else { return }
        try await check(data)
        guard try read(file) == old else {
            throw ConfigurationError(message: "the configuration file \(path) changed meanwhile; try again")
        }
        do {
            try write(data, to: file)
        } catch {
            throw ConfigurationError(message: error.message)
        }
    }

    private static func read(_ path: String) throws(ConfigurationError) -> String? {
        guard PrivateFile.exists(path) else { return nil }
        guard let data = FileManager.default.contents(atPath: path), let text = String(validating: data, as: UTF8.self)
        else { throw ConfigurationError(message: "the configuration file \(path) cannot be read as text") }
        return text
    }

    /// Replaces a file that keeps its mode and owner. In a folder that takes no file it is written in place.
    private static func write(_ data: Data, to path: String) throws(FileError) {
        guard PrivateFile.exists(path) else {
            try PrivateFile.createFolder(PrivateFile.parent(of: path))
            return try PrivateFile.write([UInt8](data), to: path)
        }
        let kept: Set<FileAttributeKey> = [.posixPermissions, .ownerAccountID, .groupOwnerAccountID]
        let attributes = (try? FileManager.default.attributesOfItem(atPath: path))?.filter { kept.contains($0.key) }
        do throws(FileError) {
            try PrivateFile.write([UInt8](data), to: path)
        } catch  where error.code != .diskFull {
            do {
                let file = try FileHandle(forWritingTo: URL(filePath: path))
                try file.truncate(atOffset: 0)
                try file.write(contentsOf: data)
                try file.synchronize()
                try file.close()
            } catch {
                throw FileError(.failed, "cannot write \(path): \(error.localizedDescription)")
            }
        }
        if let attributes { try? FileManager.default.setAttributes(attributes, ofItemAtPath: path) }
    }
}

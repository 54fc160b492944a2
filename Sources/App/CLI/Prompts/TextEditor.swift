import ArgumentParser
import Foundation

/// The user's editor.
enum TextEditor {
    /// Lets the user edit a text in `$VISUAL`, `$EDITOR` or vi, in a file that only this user can read.
    ///
    /// - Parameter name: The beginning of the file's name.
    /// - Throws: `ValidationError` when the editor cannot run or fails; the file is kept and named then.
    static func edit(_ text: String, name: String) throws -> String {
        let environment = ProcessInfo.processInfo.environment
        let editor = [environment["VISUAL"], environment["EDITOR"]].compactMap { $0 }.first { !$0.isEmpty } ?? "vi"
        let file = try write(text, name: name)
        let status = run(["/bin/sh", "-c", "exec \(editor) \"$1\"", "sh", file.path])
        guard status == 0 else {
            throw ValidationError("\(editor) ended with status \(status); the text is in \(file.path)")
        }
        let edited = try String(contentsOf: file, encoding: .utf8)
        try FileManager.default.removeItem(at: file.deletingLastPathComponent())
        return edited
    }

    /// Writes a text that could not be stored into a file that only this user can read, and returns its path.
    ///
    /// - Parameter name: The beginning of the file's name.
    static func keep(_ text: String, name: String) throws -> String { try write(text, name: name).path }

    private static func write(_ text: String, name: String) throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "selene-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let file = folder.appending(path: "\(name).md")
        try Data(text.utf8).write(to: file)
        return file
    }

    /// Runs a program in the foreground. `Process` would give it a process group of its own, which may not read from the
    /// terminal.
    private static func run(_ words: [String]) -> Int32 {
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        let error = posix_spawn(&child, words[0], nil, nil, &arguments, environ)
        guard error == 0 else { return error }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        let isExit = status & 0x7F == 0
        return isExit ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }
}

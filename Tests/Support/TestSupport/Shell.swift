import Foundation

/// Other programs of this machine.
package enum Shell {
    package struct Outcome: Sendable {
        package var status: Int32
        package var output: String
    }

    /// Runs a command to its end; the output has both streams.
    package static func run(_ command: [String]) async throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        let pipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let data = pipe.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                continuation.resume(returning: data)
            }
        }
        return Outcome(status: process.terminationStatus, output: String(decoding: data, as: UTF8.self))
    }

    /// Whether all of these are installed; names the one that is not.
    package static func has(_ names: String...) async -> Bool {
        for name in names {
            guard let found = try? await run(["sh", "-c", "command -v \(name)"]), found.status == 0 else {
                print("skipped: there is no \(name) here")
                return false
            }
        }
        return true
    }
}

internal import Documents
import Foundation

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The other side of ``DocumentProcess``: what runs in the process that reads one document.
package enum DocumentChild {
    /// Takes the job, limits this process, reads the document and writes the message to standard output.
    ///
    /// A job that draws a page or recognizes its text turns this process into the program that does it.
    ///
    /// - Returns: The exit code: 0 after a message, also one that says why there is no document; 64 without a job.
    package static func run() -> CInt {
        guard let job = begin() else { return 64 }
        if let drawing = job.drawing { return DrawingChild.become(drawing) }
        if let recognition = job.recognition { return RecognitionChild.become(recognition) }
        let outcome: Result<Document, DocumentError>
        do throws(DocumentError) {
            let bytes = try bytes(job.limits.document)
            outcome = .success(
                try DocumentReader.read(
                    bytes, name: job.name, contentType: job.contentType, content: job.content,
                    limits: job.limits.document))
        } catch { outcome = .failure(error) }
        guard let output = Descriptor(taking: dup(1)) else { return 71 }
        close(1)
        return output.write(DocumentMessage.encode(outcome)) ? 0 : 74
    }

    /// Takes the job and sets the limits, before anything of the file is read.
    ///
    /// - Returns: Whether there is a job.
    package static func limitProcess() -> Bool { begin() != nil }

    private static func begin() -> ReadingJob? {
        guard let input = Descriptor(taking: dup(0)) else { return nil }
        var bytes: [UInt8] = []
        while bytes.count <= ReadingJob.maxBytes, let more = input.read(upTo: 4096), !more.isEmpty { bytes += more }
        guard bytes.count <= ReadingJob.maxBytes,
            let job = try? JSONDecoder().decode(ReadingJob.self, from: Data(bytes))
        else { return nil }
        ProcessLimits.set(job.limits)
        return job
    }

    private static func bytes(_ limits: DocumentLimits) throws(DocumentError) -> [UInt8] {
        guard let file = Descriptor(taking: dup(ReadingJob.file)) else {
            throw DocumentError(.damaged, "The file is not open.")
        }
        var bytes: [UInt8] = []
        while bytes.count <= limits.fileBytes {
            guard let more = file.read(upTo: 1 << 20) else { throw DocumentError(.damaged, "The file cannot be read.") }
            if more.isEmpty { return bytes }
            bytes += more
        }
        throw DocumentError(.tooLarge, "The file is larger than the limit of \(limits.fileBytes) bytes.")
    }
}

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension StoredJob {
    /// Decodes the stored parameters of the job.
    ///
    /// - Throws: ``StorageError`` with ``StorageError/Code/failed`` when they are not JSON of this type.
    package func decodedParameters<Value: Decodable>(as type: Value.Type) throws(StorageError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(parameters.utf8))
        } catch {
            throw StorageError(.failed, "the parameters of job \(id) cannot be read")
        }
    }
}

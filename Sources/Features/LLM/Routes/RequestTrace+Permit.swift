package import Inference
import Server

extension RequestTrace {
    /// Records the grant of a place at the upstream.
    package func granted(_ permit: Admission.Permit) {
        granted(position: permit.position, waited: permit.waited, expected: permit.expectedWait)
    }
}

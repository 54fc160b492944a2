/// Splits queries in two, to tune parameters on one half and report on the other.
///
/// The half of a query depends on its id alone: it is the same on every machine and in every run, whichever other
/// queries there are. The halves are therefore only about equal in size.
package enum QuerySplit {
    /// Splits ids. Each half keeps their order.
    package static func split(_ ids: some Sequence<String>) -> (tuning: [String], reporting: [String]) {
        var halves: (tuning: [String], reporting: [String]) = ([], [])
        for id in ids {
            if isTuning(id) { halves.tuning.append(id) } else { halves.reporting.append(id) }
        }
        return halves
    }

    /// Splits judgements by their queries.
    package static func split(_ qrels: Qrels) -> (tuning: Qrels, reporting: Qrels) {
        let halves = split(qrels.grades.keys)
        return (qrels.restricted(to: halves.tuning), qrels.restricted(to: halves.reporting))
    }

    /// Whether a query belongs to the half for tuning.
    package static func isTuning(_ id: String) -> Bool {
        // The lowest bit of FNV-1a is only the parity of the bytes' lowest bits, and short ids leave the high bits
        // unchanged.
        SplitMix64.mix(fnv1a(id)) & 1 == 0
    }

    /// The 64-bit FNV-1a hash (Fowler, Noll and Vo) of the UTF-8 bytes.
    static func fnv1a(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

/// How long upstreams take for requests, learned from those that they have answered.
///
/// For each model a straight line through time and size: what a request takes in any case, and what each byte of its prompt
/// adds. Both are means in which the latest answers weigh most.
struct ServiceTimes {
    /// Models that are remembered; the one that was used longest ago is forgotten first.
    private static let maxModels = 64
    /// What is left of the weight of earlier answers when another one is learned.
    private static let memory = 0.95
    /// Before anything is known, in seconds.
    private static let unknown = 1.0

    /// Weighted sums of x, the size of prompts, and y, the seconds; see the formula of simple linear regression.
    private struct Line {
        var (weight, x, y, xx, xy) = (0.0, 0.0, 0.0, 0.0, 0.0)
        var lastUsed: UInt64 = 0

        mutating func learn(_ size: Double, _ seconds: Double) {
            (weight, x, y, xx, xy) = (
                weight * ServiceTimes.memory + 1, x * ServiceTimes.memory + size, y * ServiceTimes.memory + seconds,
                xx * ServiceTimes.memory + size * size, xy * ServiceTimes.memory + size * seconds
            )
        }

        /// The seconds for a size. A line that falls is not believed, nor one through sizes that hardly differ.
        func seconds(_ size: Double) -> Double {
            let (meanX, meanY) = (x / weight, y / weight)
            let spread = xx / weight - meanX * meanX
            guard weight > 2, spread > meanX * meanX * 0.01 else { return meanY }
            let slope = max(0, (xy / weight - meanX * meanY) / spread)
            return max(meanY / 8, meanY + slope * (size - meanX))
        }
    }

    private var all = Line()
    private var models: [String: Line] = [:]
    private var uses: UInt64 = 0

    /// Learns from an answer.
    ///
    /// - Parameters:
    ///   - size: The size of the prompt, in bytes.
    ///   - model: The model's canonical name; nil when it is not known.
    mutating func learn(_ seconds: Double, size: Int, model: String?) {
        all.learn(Double(size), seconds)
        guard let model else { return }
        uses &+= 1
        if models[model] == nil, models.count >= Self.maxModels,
            let oldest = models.min(by: { $0.value.lastUsed < $1.value.lastUsed })
        {
            models[oldest.key] = nil
        }
        models[model, default: Line()].learn(Double(size), seconds)
        models[model]?.lastUsed = uses
    }

    /// The mean time of all requests, in seconds.
    var mean: Double { all.weight > 0 ? all.y / all.weight : Self.unknown }

    /// How long a request will take, in seconds.
    func expected(size: Int, model: String?) -> Double {
        if let line = model.flatMap({ models[$0] }) { return line.seconds(Double(size)) }
        return all.weight > 0 ? all.seconds(Double(size)) : Self.unknown
    }

    /// How long a request goes on that has been served for so many seconds. One that takes longer than expected takes as long
    /// again as a quarter of what was expected.
    func rest(of size: Int, model: String?, after elapsed: Double) -> Double {
        let whole = expected(size: size, model: model)
        return max(whole - elapsed, whole / 4)
    }
}

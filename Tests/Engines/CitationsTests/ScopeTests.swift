import Testing

@testable import Citations

/// Sentences that keep the words of a passage and change what it says.
struct ScopeTests {
    private static let passage = """
        Take the drops before breakfast, in the right eye only. The old cupboards go to Jakob's workshop, except for the \
        tall one. If Ines retires at 65, she gets 7% less for life. The train is quicker but stops outside the town. \
        Mathilde kept the accounts, since Odo could not write. The oldest barn was probably built by monks. Results are \
        cached when the temperature is above zero. Okafor voted against the dividend. Ferrymen carry salt from the coast. \
        He moved in with his niece Rosa, who ran a laundry. Prices may be raised by no more than 4%.
        """
    private let check = CitationCheck(passages: [passage])

    @Test(
        arguments: [
            "Take the drops before breakfast, only in the right eye [1].",
            "The old cupboards go to Jakob's workshop, except for the tall one [1].",
            "If Ines retires at 65, she gets 7% less for life [1].",
            "The train is quicker but stops outside the town [1].",
            "Mathilde kept the accounts since Odo could not write [1].",
            "The oldest barn was probably built by monks [1].",
            "Results are cached when the temperature is above zero [1].",
            "Okafor voted against the dividend [1].",
            "Rosa ran a laundry [1].",
            "Prices may be raised by at most 4% [1].",
        ])
    func `what the passage says is supported`(sentence: String) {
        #expect(check.check(sentence).first?.verdict == .supported)
    }

    @Test(
        arguments: [
            "Take the drops after breakfast, only in the right eye [1].",
            "Take the drops before breakfast [1].",
            "The tall cupboard goes to Jakob's workshop [1].",
            "Ines retires at 65 and gets 7% less for life [1].",
            "The bus is quicker than the train [1].",
            "Odo kept the accounts since Mathilde could not write [1].",
            "The oldest barn was built by monks [1].",
            "Results are cached when the temperature is zero [1].",
            "Okafor voted for the dividend [1].",
            "Only ferrymen carry salt from the coast [1].",
            "Prices may be raised by at least 4% [1].",
            "Rosa ran a laundry, which was sold to a cousin from Bremen [1].",
        ])
    func `another scope is not supported`(sentence: String) {
        #expect(check.check(sentence).first?.verdict != .supported)
    }
}

/// The prompts that come with the gateway, a file each in `Library/KIND/`.
package enum CuratedPrompts {
    /// All prompts, by kind and in the order of their ids. They are read once.
    ///
    /// - Throws: ``PromptError``. A test reads every file, so a release never throws.
    package static func load() throws(PromptError) -> [PromptDocument] { try all.get() }

    private static let all: Result<[PromptDocument], PromptError> = Result { () throws(PromptError) in
        var prompts: [PromptDocument] = []
        for file in files { prompts.append(try PromptDocument(parsing: String(decoding: file, as: UTF8.self))) }
        return prompts
    }

    private static var files: [[UInt8]] {
        [
            PackageResources.changed_mind_mustache,
            PackageResources.energy_mustache,
            PackageResources.promises_mustache,
            PackageResources.recurring_thoughts_mustache,
            PackageResources.week_in_review_mustache,
            PackageResources.causes_mustache,
            PackageResources.contradictions_mustache,
            PackageResources.figures_mustache,
            PackageResources.pros_and_cons_mustache,
            PackageResources.thread_summary_mustache,
            PackageResources.timeline_mustache,
            PackageResources.bridge_mustache,
            PackageResources.forgotten_mustache,
            PackageResources.gaps_mustache,
            PackageResources.open_questions_mustache,
            PackageResources.people_mustache,
            PackageResources.ask_mustache,
            PackageResources.decision_mustache,
            PackageResources.exact_words_mustache,
            PackageResources.how_to_mustache,
            PackageResources.last_time_mustache,
            PackageResources.open_tasks_mustache,
            PackageResources.essay_plan_mustache,
            PackageResources.letter_mustache,
            PackageResources.metaphor_mustache,
            PackageResources.two_voices_mustache,
            PackageResources.what_if_mustache,
        ]
    }
}

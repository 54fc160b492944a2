extension BodyLimits {
    /// Writes the metrics of request bodies.
    package func write(to text: inout PrometheusText) {
        text.single(
            "selene_body_bytes_in_memory", .gauge, "Bytes of request bodies in memory, all requests together.",
            memory.used)
        text.single(
            "selene_body_bytes_in_memory_limit", .gauge, "Limit of request body bytes in memory.",
            memory.capacity)
        text.single(
            "selene_body_bytes_on_disk", .gauge, "Bytes of large request bodies on disk.", spool.used)
        text.single(
            "selene_unsent_answer_bytes", .gauge, "Bytes in memory of answers that clients have not read yet.",
            answers.used)
        text.single(
            "selene_unsent_answer_bytes_limit", .gauge, "Limit of unsent answer bytes.", answers.capacity)
        text.single(
            "selene_unsent_answer_bytes_on_disk", .gauge,
            "Room on disk of large answers that wait for clients.",
            answerFiles.used)
        text.single(
            "selene_answers_refused_total", .counter, "Answers rejected because others used the limit.",
            answers.refused.value)
        text.family("selene_bodies_refused_total", .counter, "Requests rejected because other bodies used the limit.")
        for (place, budget) in [("memory", memory), ("disk", spool)] {
            text.sample("selene_bodies_refused_total", [("place", place)], budget.refused.value)
        }
        text.single(
            "selene_slow_bodies_total", .counter, "Requests rejected because their bodies came too slowly.",
            tooSlow.value)
    }
}

package import Server
import Storage

extension ForeignTableWatch {
    /// Writes the metrics.
    package func write(to text: inout PrometheusText) {
        text.single(
            "selene_trigger_repairs_total", .counter,
            "Times that triggers were recreated after another program changed its tables.",
            database.triggerRepairs)
        let report = report
        let name = "selene_foreign_odd_rows"
        text.family(
            name, .gauge, "Rows of other programs with a value that reads skip or repair, at the last check.")
        for table in report.tables { text.sample(name, [("table", table)], report.rows[table] ?? 0) }
    }
}

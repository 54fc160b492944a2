"""Formats a run as Markdown."""
import statistics

COLUMNS = ("", "recall@10", "one query, median ms", "best ms", "x selene", "of read", "{clients} clients, queries/s",
           "x selene", "p99 ms", "batch of {batch}, ms", "x selene", "memory MB")


def header(record):
    machine, versions = record["machine"], record["versions"]
    return (f"{record['date'][:10]}, {machine['processor']}, {machine['cores']} cores, {machine['memory_gb']} GB, "
            f"{machine['system']}, load {machine['load']:.1f} at the start\n\n"
            f"{', '.join(f'{name} {version}' for name, version in versions.items())}\n\n"
            f"{record['threads']} threads for each; {record['data']} data, seed {record['seed']}; "
            f"{record['rounds']} rounds of {record['singles']} single queries, {record['clients']} clients x "
            f"{record['client_queries']} and a batch of {record['batch']}\n")


def table(record, size):
    """Formats one size: its table, then notes on the figures."""
    titles = [title.format_map(record) for title in COLUMNS]
    title = f"{size['rows']:,} x {record['dimensions']} float32 ({size['matrix_mb']:,.0f} MB); {implementation(size)}"
    lines = [title, "", row(titles), "|---|" + "---:|" * (len(titles) - 1)]
    lines += [row(cells(size, name, figures)) for name, figures in size["contestants"].items()]
    lines += [row([f"{name}: not available"] + ["–"] * (len(titles) - 1)) for name in size["unavailable"]]
    return "\n".join(lines + [""] + notes(record, size)) + "\n"


def row(cells):
    return f"| {' | '.join(cells)} |"


def implementation(size):
    selene = size["selene"]
    return f"selene over {selene.get('blas', 'unknown BLAS')}, kernel {selene.get('kernel', 'unknown')}"


def cells(size, name, figures):
    reference = figures["reference"] or size["contestants"]["selene exact"]
    single, batch = figures["single_ms"], figures["batch_ms"]
    seconds, queries = figures["clients_seconds"], len(figures["clients_ms"]) / len(figures["clients_seconds"])
    memory = figures["memory_mb"] or size["selene"].get("resident_mb")
    return [
        f"{name} (approximate)" if figures["approximate"] else name,
        f"{figures['recall']:.3f}",
        f"{statistics.median(single):.2f}", f"{min(single):.2f}", ratio(single, reference["single_ms"]),
        f"{100 * statistics.median(size['read_ms']) / statistics.median(single):.0f} %",
        f"{queries / statistics.median(seconds):,.0f}", ratio(reference["clients_seconds"], seconds),
        f"{percentile(figures['clients_ms'], 99):.1f}",
        f"{statistics.median(batch):.1f}" if batch else "–", ratio(batch, reference["batch_ms"]) if batch else "–",
        f"{memory:,.0f}" if memory else "–",
    ]


def ratio(values, reference):
    return f"{statistics.median(values) / statistics.median(reference):.2f}"


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, len(values) * share // 100)]


def notes(record, size):
    read, selene = statistics.median(size["read_ms"]), size["selene"]
    found = [f"Reading the matrix once: {read:.2f} ms, {size['matrix_mb'] / read:.1f} GB/s.",
             f"Memory: selene's process as a whole, all plans together (peak {selene.get('peak_mb', 0):,.0f} MB); of the "
             "peers, the vectors alone."]
    found += [f"{name}: {reason}." for name, reason in size["unavailable"].items()]
    contestants = size["contestants"].items()
    found += [recalls(name, figures) for name, figures in contestants if differ(figures)]
    limited = [f"{name} {figures['call_threads']}" for name, figures in contestants if figures["call_threads"]]
    if limited:
        found.append(f"Threads inside a call under concurrent clients, the faster of 1 and {record['threads']}: "
                     f"{', '.join(limited)}.")
    if size["one_at_a_time"]:
        found.append("Memory was under four times the matrix: contestants that copy it were measured one at a time, each "
                     "beside selene exact.")
    return [f"- {note}" for note in found]


def differ(figures):
    reported = figures["reported_recall"]
    return reported is not None and abs(reported - figures["recall"]) > 0.002


def recalls(name, figures):
    return (f"{name}: its single queries report a recall of {figures['reported_recall']:.3f}, its batches have "
            f"{figures['recall']:.3f}.")

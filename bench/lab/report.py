"""The report: one HTML page without references to other files."""

import html
import json
import os

import figures
import losses
import measures
import peers
import plots
import rows
import tables

_STYLE = """
:root { color-scheme: light dark; --line: #8886; --soft: #8882; }
html { background: Canvas; color: CanvasText; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 78rem; margin: 0 auto; padding: 1rem; }
h1, h2, h3, p, li { overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.2; } h2 { border-top: 2px solid var(--line); padding-top: 1rem; margin-top: 2.5rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: 0.8rem; }
th, td { text-align: right; padding: 0.15rem 0.4rem; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
th.words, td.words { text-align: left; } th, td.words { white-space: normal; }
td.words { min-width: 4.5rem; } @media (max-width: 40rem) { td.words { white-space: nowrap; } }
 tr.slower { background: #d9822b33; }
tr.orbweaver td { font-weight: 600; }
pre { background: var(--soft); padding: 0.6rem; overflow-x: auto; font-size: 0.85rem; }
figure { margin: 1rem 0; display: inline-block; width: min(100%, 38rem); } svg { width: 100%; height: auto; }
.facts { display: grid; grid-template-columns: fit-content(45%) 1fr; gap: 0.15rem 1rem; font-size: 0.85rem; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
details { margin: 0.5rem 0; } summary { cursor: pointer; }
.document ul { columns: 22rem; }
.document { border-left: 4px solid var(--line); padding-left: 1rem; } .failed { color: #c9463d; }
"""


def _load(out, run, suffix):
    try:
        with open(os.path.join(out, f"{run.name}.{suffix}"), encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def _table(headings, lines):
    # Columns of words are left-aligned, those of numbers right-aligned.
    words = [any(line[i][:1].isalpha() for line in lines) for i in range(len(headings))]

    def cells(kind, texts):
        return "".join(
            f"<{kind}{' class=words' if of_words else ''}>{html.escape(text)}</{kind}>"
            for text, of_words in zip(texts, words)
        )

    text = ["<div class=wide><table><tr>", cells("th", headings), "</tr>"]
    for line in lines:
        kind = "slower" if "slower" in line else "orbweaver" if rows.OURS in line else ""
        text.append(f"<tr class='{kind}'>{cells('td', line)}</tr>")
    return "".join(text) + "</table></div>"


# Longer tables of losses, but for that of times, are opened by a click.
_MOST_OPEN_LINES = 20
# A floor of two flags that both ends poll, below which the cores share a cache.
_NEAR_US = 0.25


def _distance_of_cores(all_rows):
    """near or far, by the round trip of two flags in shared memory; None if it was not measured."""
    for found in all_rows:
        for row in found:
            if (
                row.get("subject") == rows.FLOOR
                and row.get("experiment") == "twoway"
                and row["transport"] == "shm"
                and row["type"] == "empty"
                and (row.get("wait"), row.get("pin")) == ("spin", "two")
            ):
                us = row["p50_us"]
                return f"{'near (a shared cache)' if us < _NEAR_US else 'far'}: {us:.2f} µs for two flags and back"
    return None


def _clocks(out, runs):
    """The clocks that the tables of the runs name, with the cost of a stamp: by name, the first of each."""
    found = {}
    for run in runs:
        try:
            with open(os.path.join(out, f"{run.name}.txt"), encoding="utf-8", errors="replace") as file:
                for line in file:
                    if line.startswith("clock: "):
                        text = line.removeprefix("clock: ").strip()
                        found.setdefault(text.split(",")[0], text)
        except OSError:
            continue
    return list(found.values())


def _items(texts):
    return "<ul>" + "".join(f"<li>{html.escape(each)}</li>" for each in texts) + "</ul>"


class Report:
    """The page of all experiments whose results are in a folder."""

    def __init__(self, experiments, out, quick):
        self.experiments, self.out, self.quick = experiments, out, quick
        self.rows = {run.name: _load(out, run, "json") or [] for each in experiments for run in each.runs}
        self.runs = [run for each in experiments for run in each.runs]
        metas = {run.name: _load(out, run, "meta.json") for each in experiments for run in each.runs}
        self.meta = {name: meta if meta and "left_out" not in meta else None for name, meta in metas.items()}
        self.left_out = {name: meta["left_out"] for name, meta in metas.items() if meta and "left_out" in meta}

    def page(self):
        return (
            "<!doctype html><html lang=en><meta charset=utf-8>"
            "<meta name=viewport content='width=device-width, initial-scale=1'>"
            f"<title>Orbweaver: measurements</title><style>{_STYLE}</style>"
            "<h1>Orbweaver: measurements</h1>"
            + self._losses()
            + self._machine()
            + self._peers()
            + "".join(self._section(each) for each in self.experiments)
            + "</html>\n"
        )

    def _machine(self):
        metas = [meta for meta in self.meta.values() if meta]
        if not metas:
            return "<p>Nothing has been measured.</p>"
        facts = dict(metas[-1]["machine"])
        loads = [meta["load_before"] for meta in metas]
        steals = [meta["steal_percent"] for meta in metas]
        facts["load average before a run"] = f"{min(loads)} to {max(loads)}"
        distance = _distance_of_cores(self.rows.values())
        if distance:
            facts["distance of the cores"] = distance
        for i, clock in enumerate(_clocks(self.out, self.runs)):
            facts["clock" if i == 0 else f"clock {i + 1}"] = clock
        facts["time taken by the host"] = f"{min(steals)} to {max(steals)} %"
        short = (
            "<p><b>Short runs (QUICK=1): for a first look only.</b></p>"
            if any(meta["quick"] for meta in metas)
            else ""
        )
        programs = metas[-1]["programs"]
        if any(meta["programs"] != programs for meta in metas):
            short += "<p class=failed>The runs are of different builds.</p>"
        return (
            "<h2>Machine</h2>"
            + short
            + "<dl class=facts>"
            + "".join(
                f"<dt>{html.escape(key)}</dt><dd>{html.escape(str(value))}</dd>"
                for key, value in facts.items()
            )
            + "</dl>"
            + "<details><summary>Checksums of the measured programs</summary><pre>"
            + html.escape("\n".join(f"{value}  {key}" for key, value in programs.items()))
            + "</pre></details>"
        )

    def _peers(self):
        """The measured systems with their settings; those that are missing, with how to get them."""
        metas = [meta for meta in self.meta.values() if meta]
        if not metas:
            return ""
        versions = metas[-1].get("versions", {})
        lines = []
        for peer in peers.load():
            built = peer["name"] in versions
            text = peer["settings"] if built else "Not measured: not built here. To get it: " + peer["get"]
            name = ", ".join(each for each in (peer["title"], versions.get(peer["name"], "")) if each)
            lines.append(
                f"<li><b>{html.escape(peer['name'])}</b>: {html.escape(name)}. {html.escape(text)}</li>"
            )
        return (
            "<h2>Measured systems</h2><p>Each system has its fastest documented settings. Pinning and waiting "
            "are those of the runs. Orbweaver has its defaults, except for the options in the commands.</p>"
            "<p>In the tables, both ends: how they wait, and on which cores; rounds: the smallest and the largest "
            "value of a round of the figure that is compared, the mean of one-way messages and otherwise the "
            "median; min and max: of single calls; CPU: processor time of both ends for a call.</p>"
            "<p>Polling: iceoryx2 and Orbweaver over shared memory poll without sleeping. The others are measured "
            "over sockets, where none of them documents a mode that polls: ZeroMQ, gRPC, Cap'n Proto, Ice, omniORB, "
            "JacORB and Cyclone DDS wait in the kernel (poll, epoll or a blocking read). The socket option "
            "SO_BUSY_POLL polls the queue of a network device, which loopback and Unix sockets do not have.</p>"
            f"<ul>{''.join(lines)}</ul>"
        )

    def _losses(self):
        """Figures in which another system, not the floor, is better."""
        found = losses.Losses()
        for run in self.runs:
            found.add(self.rows[run.name], run.note)
        text = "<h2>Where another system is better</h2>"
        few = f"{found.few} comparisons have too few rounds."
        if not found.compared:
            return text + f"<p>{few if found.few else 'Nothing has been compared.'}</p>"
        lost = sum(len(each) for each in found.lost.values())
        text += (
            f"<p>In {lost} of {found.compared} comparisons, at a confidence of 95 %; smaller is better. Of equal "
            f"figures, one in forty is here by chance.{' ' + few if found.few else ''}</p>"
        )
        text += _table(losses.SUMMARY_HEADINGS, found.summary())
        for kind, lines in found.lost.items():
            if lines:
                opened = " open" if len(lines) <= _MOST_OPEN_LINES or kind == figures.TIME else ""
                text += f"<details{opened}><summary>{html.escape(kind)}: {len(lines)}</summary>"
                text += _table(losses.HEADINGS, lines) + "</details>"
        return text

    def _section(self, experiment):
        text = [
            f"<h2 id='{html.escape(experiment.name)}'>{html.escape(experiment.title)}</h2>",
            f"<p><b>Question.</b> {html.escape(experiment.question)}</p>",
            f"<p><b>Method.</b> {html.escape(experiment.method)}</p>",
        ]
        if experiment.document:
            text.append(self._document(experiment))
        by_run = {run.name: run for run in experiment.runs}
        for plot in experiment.plots:
            found = self.rows[by_run[plot["run"]].name]
            beside = {"beside_rows": self.rows[plot["beside"]]} if "beside" in plot else {}
            text += [f"<figure>{svg}</figure>" for svg in plots.of({**plot, **beside}, found)]
        runs = [run for run in experiment.runs if self.meta[run.name] or not run.optional]
        return "".join(text) + "".join(self._run(run) for run in runs)

    def _document(self, experiment):
        text = [f"<div class=document><p><b>The document.</b> {html.escape(experiment.document)}</p>"]
        for figure in experiment.figures:
            ours = measures.lines(figure, self.rows[figure["run"]])
            text += [f"<p>{html.escape(figure['theirs'])}</p><p>Here:</p>", _items(ours or ["not measured"])]
        return "".join(text) + "</div>"

    def _run(self, run):
        meta = self.meta[run.name]
        command = "build/bin/orbweaver bench " + " ".join(
            meta["command"] if meta else run.command(self.quick)
        )
        note = f"<h3>{html.escape(run.name)}: {html.escape(run.note)}</h3>" if run.note else ""
        text = f"{note}<pre>{html.escape(command)}</pre>"
        if not meta:
            reason = self.left_out.get(run.name)
            return text + f"<p class=failed>Not measured{': ' + html.escape(reason) if reason else ''}.</p>"
        if meta["status"] != 0:
            return (
                text
                + f"<p class=failed>Failed: status {meta['status']}; see {html.escape(run.name)}.txt.</p>"
            )
        headings, lines = tables.of(self.rows[run.name])
        return (
            text
            + f"<p>{meta['seconds']} s; load average before it {meta['load_before']}, "
            f"{meta['steal_percent']} % of the time taken by the host; rows: {html.escape(run.name)}.json</p>"
            + f"<details open><summary>{len(lines)} rows</summary>{_table(headings, lines)}</details>"
        )


def write(experiments, out, quick):
    """Writes OUT/report.html, and returns its name."""
    path = os.path.join(out, "report.html")
    temporary = path + ".new"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(Report(experiments, out, quick).page())
    os.replace(temporary, path)
    return path

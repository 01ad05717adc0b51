"""The comparisons in which another system is better than Orbweaver, by kind of figure."""

import figures
import rows
import tables

HEADINGS = ["figure", "case", "both ends", "system", "orbweaver", "it", "ratio [95 %]"]
SUMMARY_HEADINGS = ["figures", "compared", "it is better", "orbweaver is better", "not shown"]


def _number(value):
    return f"{value:,.3f}" if abs(value) < 100 else f"{value:,.0f}"


class Losses:
    """Collects the rows of runs."""

    def __init__(self):
        self.lost = {kind: [] for kind in figures.KINDS}  # lines of HEADINGS
        self._verdicts = {kind: {"slower": 0, "faster": 0, "not shown": 0} for kind in figures.KINDS}
        self.few = 0  # comparisons of too few rounds

    @property
    def compared(self):
        return sum(sum(each.values()) for each in self._verdicts.values())

    def add(self, all_rows, note=""):
        """Adds the rows of a run."""
        systems = [row for row in all_rows if "subject" in row and row["subject"] not in rows.NOT_OTHERS]
        for each in rows.comparisons_of_all_figures(systems):
            verdict = each.ratio.verdict
            if verdict == "too few rounds":
                self.few += 1
                continue
            self._verdicts[each.figure.kind][verdict] += 1
            if verdict == "slower":
                self.lost[each.figure.kind].append(self._line(each, note))

    @staticmethod
    def _line(each, note):
        unit = f" {each.figure.unit}" if each.figure.unit else ""
        return [
            each.figure.title,
            rows.text_of_case(each.ours) + (f" ({note})" if note else ""),
            rows.text_of_conditions(each.ours),
            each.theirs["subject"],
            _number(each.figure.of(each.ours)) + unit,
            _number(each.figure.of(each.theirs)) + unit,
            tables.text_of_ratio(each.ratio),
        ]

    def summary(self):
        """A line for each kind of figures that were compared."""
        return [
            [kind, *(str(number) for number in (sum(each.values()), *each.values()))]
            for kind, each in self._verdicts.items()
            if sum(each.values())
        ]

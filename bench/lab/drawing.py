"""Curves and boxes as SVG, drawn by gnuplot for light and dark pages."""

import html
import re
import shutil
import subprocess


class Curve:
    """Points (x, y) or (x, y, low, high) of one line of the legend."""

    def __init__(self, name, points, colour, style="linespoints"):
        self.name, self.points, self.colour, self.style = name, points, colour, style


def _block(curve):
    return "\n".join(" ".join(f"{value:.9g}" for value in point) for point in curve.points)


def draw(title, x, y, curves, log="xy", size=(720, 400), labels=(), y_range=None):
    """An SVG element, or an empty text if there is nothing to draw or no gnuplot. `labels`: of x = 0, 1, …
    `y_range`: (low, high), or that of the points."""
    curves = [curve for curve in curves if curve.points]
    if not curves or not shutil.which("gnuplot"):
        return ""
    script = [
        f"set terminal svg size {size[0]},{size[1]} dynamic background rgb 'white' font 'sans-serif,13'",
        f"set title {_quoted(title)}",
        f"set xlabel {_quoted(x)}",
        f"set ylabel {_quoted(y)}",
        "set key outside right top",
        "set grid lc rgb '#999999' lt 0",
        "set border 3",
        "set pointintervalbox 0",
        "set tics nomirror",
    ]
    if log:
        script.append(f"set logscale {log}")
    if y_range:
        script.append(f"set yrange [{y_range[0]:.9g}:{y_range[1]:.9g}]")
    if labels:
        marks = ", ".join(f"{_quoted(label)} {i}" for i, label in enumerate(labels))
        script += [
            f"set xtics rotate by -40 left font ',10' ({marks})",
            f"set xrange [-0.5:{len(labels) - 0.5}]",
            "set rmargin 22",
        ]
    plots, bars = [], []  # bars are drawn first, below the points
    for i, curve in enumerate(curves):
        script += [f"$data{i} << EOD", _block(curve), "EOD"]
        size_of_point = 0.9 if labels and curve.style == "points" else 0.5
        look = "dt 2 " if curve.name.endswith(", batched") else ""
        look += f"lc rgb '{curve.colour}' pt 7 ps {size_of_point} lw 1.6"
        plots.append(f"$data{i} using 1:2 with {curve.style} {look} title {_quoted(curve.name)}")
        if len(curve.points[0]) == 4:
            bars.append(f"$data{i} using 1:2:3:4 with yerrorbars lc rgb '{curve.colour}' pt 7 ps 0.1 notitle")
    script.append("plot " + ", ".join(bars + plots))
    drawn = subprocess.run(["gnuplot"], input="\n".join(script), text=True, capture_output=True, check=False)
    return _for_any_page(drawn.stdout, title) if drawn.returncode == 0 else ""


def _quoted(text):
    return '"' + text.replace("\\", "").replace('"', "'").replace("_", "\\\\_") + '"'


def _for_any_page(svg, title):
    """The SVG element alone, on the page's background and in its colour of text."""
    svg = svg[svg.find("<svg") :]
    svg = re.sub(r"<rect [^>]*fill=\"(?:#ffffff|rgb\(255, ?255, ?255\))\"[^>]*/>", "", svg, count=1)
    svg = re.sub(r"<use [^>]*color='#FFFFFF'\s*/>", "", svg)  # erases what is below the point of an error bar
    svg = re.sub(r"(?:#000000|rgb\( ?0, ? ?0, ? ?0\)|black)\b", "currentColor", svg)
    return svg.replace("<svg", f'<svg role="img" aria-label="{html.escape(title)}"', 1)


def draw_boxes(title, y, boxes, labels, colours):
    """An SVG element; `boxes`: (x, y, left, right, low, high) of each part; `colours`: of the parts, in
    the order of the legend."""
    if not boxes or not shutil.which("gnuplot"):
        return ""
    marks = ", ".join(f"{_quoted(label)} {i}" for i, label in enumerate(labels))
    script = [
        "set terminal svg size 720,400 dynamic background rgb 'white' font 'sans-serif,13'",
        f"set title {_quoted(title)}",
        f"set ylabel {_quoted(y)}",
        "set key outside right top reverse Left",
        "set grid ytics lc rgb '#999999' lt 0",
        "set border 3",
        f"set xtics nomirror font ',11' ({marks})",
        "set ytics nomirror",
        f"set xrange [-0.5:{len(labels) - 0.5}]",
        "set yrange [0:*]",
        "set style fill solid 1 noborder",
    ]
    plots = []
    for i, part in enumerate(sorted(boxes, key=list(colours).index)):
        script += [f"$data{i} << EOD", _block(Curve(part, boxes[part], "")), "EOD"]
        plots.append(
            f"$data{i} using 1:2:3:4:5:6 with boxxyerror fc rgb '{colours[part]}' title {_quoted(part)}"
        )
    script.append("plot " + ", ".join(plots))
    drawn = subprocess.run(["gnuplot"], input="\n".join(script), text=True, capture_output=True, check=False)
    return _for_any_page(drawn.stdout, title) if drawn.returncode == 0 else ""


def draw_below_each_other(x, points, labels):
    """An SVG element with a line for each label; points are (x, low, high, line)."""
    if not points or not shutil.which("gnuplot"):
        return ""
    marks = ", ".join(f"{_quoted(label)} {i}" for i, label in enumerate(labels))
    script = [
        f"set terminal svg size 900,{80 + 18 * len(labels)} dynamic background rgb 'white' font 'sans-serif,12'",
        f"set xlabel {_quoted(x)}",
        "set grid lc rgb '#999999' lt 0",
        "set border 3",
        "set logscale x",
        f"set ytics nomirror ({marks})",
        f"set yrange [{len(labels) - 0.5}:-0.5]",
        "set arrow from 1, graph 0 to 1, graph 1 nohead lc rgb '#c9463d' lw 1.5",
        "$data << EOD",
        *(" ".join(f"{value:.9g}" for value in (point[0], point[3], *point[1:3])) for point in points),
        "EOD",
        "plot $data using 1:2:3:4 with xerrorbars lc rgb '#2f7ed8' pt 7 ps 0.1 notitle, "
        "$data using 1:2 with points lc rgb '#2f7ed8' pt 7 ps 0.8 notitle",
    ]
    drawn = subprocess.run(["gnuplot"], input="\n".join(script), text=True, capture_output=True, check=False)
    return _for_any_page(drawn.stdout, x) if drawn.returncode == 0 else ""

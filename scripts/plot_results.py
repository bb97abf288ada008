#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""plot_results.py [--check]: draws the tables of the results pages as SVG, in doc/pictures/.

Every point comes from a table of a page: PLOTS names page, section, the column that labels a row and the columns to
draw. Nothing is measured and no figure stands here but the ceilings of the roofline, which the page names, too. With
--check nothing is written, and the exit status is 1 if a picture is not what its table gives (a hygiene test).
"""
import math
import os
import re
import sys

DOC = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "doc")
COLORS = ("#0969da", "#bc4c00", "#1a7f37", "#8250df")
STYLE = ("text{font:12px sans-serif;fill:#1b1f24}.t{font-size:15px;font-weight:600}.g{stroke:#d0d7de}"
         ".one{stroke:#24292f;stroke-width:1.5}.m{text-anchor:middle}.e{text-anchor:end}.q{fill:#57606a}")

RATIO = "time of the peer / time of Prim (logarithmic): above 1 Prim is faster"
PLOTS = (
    ("matmul_squares.svg", "Square products, H200: ratio to cuBLAS", "performance.md", "Squares",
     ("type", "M = N = K"), ("ratio",), RATIO),
    ("matmul_networks.svg", "Products of networks, H200: ratio to cuBLAS", "performance.md", "Products of networks",
     ("M×K : K×N",), ("f32 ratio", "f16 ratio", "f16 N×K ratio"), RATIO),
    ("conv_resnet_f32.svg", "ResNet-50, f32, NCHW, H200: ratio to cuDNN", "performance_convolution.md",
     "ResNet-50, f32, NCHW", ("layer",), ("64 images: ratio", "1 image: ratio"), RATIO),
    ("conv_resnet_f16.svg", "ResNet-50, f16, NHWC, H200: ratio to cuDNN", "performance_convolution.md",
     "ResNet-50, f16, NHWC", ("layer",), ("64 images: ratio", "1 image: ratio"), RATIO),
    ("conv_depthwise_nchw.svg", "MobileNetV2 depthwise, f32, NCHW, H200: ratio to cuDNN",
     "performance_convolution.md", "Depthwise layers of MobileNetV2, NCHW", ("layer",),
     ("64 images: ratio", "1 image: ratio"), RATIO),
    ("conv_depthwise_nhwc.svg", "MobileNetV2 depthwise, NHWC, 64 images, H200: ratio to cuDNN",
     "performance_convolution.md", "Depthwise layers of MobileNetV2, NHWC", ("layer",), ("f32 ratio", "f16 ratio"),
     RATIO),
    ("conv_pocl.svg", "ResNet-50, f32, NHWC, PoCL on two cores: ratio to oneDNN",
     "performance_convolution.md", "PoCL on two cores", ("layer",), ("ratio",), RATIO),
    ("memory_copy.svg", "Memory-bound operations, H200: share of the bandwidth of a copy", "performance_memory.md",
     "NVIDIA H200", ("problem",), ("of the copy",), "bandwidth / bandwidth of a copy (logarithmic)"),
    ("memory_ratio.svg", "Memory-bound operations, H200: ratio to PyTorch", "performance_memory.md",
     "NVIDIA H200", ("problem",), ("ratio",), RATIO),
    ("memory_pocl.svg", "Memory-bound operations, PoCL 3.1 on two cores: share of memcpy's bandwidth",
     "performance_memory.md", "PoCL 3.1 on two cores", ("problem",), ("of memcpy",),
     "bandwidth / bandwidth of memcpy (logarithmic)"),
)
# The roofline: the tables of performance.md, and the ceilings that its text names.
BANDWIDTH_TB = 4.28
CEILINGS = (("f32", 67, 4), ("f16", 990, 2))  # type, TFLOP/s, bytes of an element


def table(page, section):
    """The first table below a heading, as (names of columns, rows of cells)."""
    with open(os.path.join(DOC, page), encoding="utf-8") as file:
        lines = file.read().split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith("#") and line.lstrip("# ") == section)
    first = next(i for i in range(start, len(lines)) if lines[i].startswith("|"))
    rows = []
    for line in lines[first:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return rows[0], rows[2:]


def number(cell):
    match = re.match(r"[0-9]+(\.[0-9]+)?", cell)
    return float(match.group()) if match else None


def escaped(text):
    return text.replace("`", "").replace("&", "&amp;").replace("<", "&lt;")


def svg(width, height, title, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" role="img" aria-label="{escaped(title)}">\n<style>{STYLE}</style>\n'
            f'<rect width="{width}" height="{height}" fill="#fff"/>\n'
            f'<text class="t" x="12" y="22">{escaped(title)}</text>\n' + "\n".join(parts) + "\n</svg>\n")


def legend(names, x, y):
    parts = []
    for i, name in enumerate(names):
        parts.append(f'<circle cx="{x:.1f}" cy="{y - 4}" r="4.5" fill="{COLORS[i]}"/>')
        parts.append(f'<text x="{x + 9:.1f}" y="{y}">{escaped(name)}</text>')
        x += 26 + 7 * len(name)
    return parts


def series_name(column):
    return re.sub(r":? ratio$", "", column) or column


def dot_plot(title, page, section, labels, columns, axis):
    names, rows = table(page, section)
    rows = [(", ".join(row[names.index(label)] for label in labels),
             [number(row[names.index(column)]) for column in columns]) for row in rows]
    rows = [row for row in rows if any(value is not None for value in row[1])]
    values = [value for row in rows for value in row[1] if value is not None]
    left = 24 + 7.4 * max(len(row[0]) for row in rows)
    low, high = math.log(min(values + [0.9]) * 0.93), math.log(max(values + [1.1]) * 1.07)
    fine = () if max(values) > 1.7 else (0.6, 0.7, 0.9, 1.1, 1.25)
    ticks = [tick for tick in (0.125, 0.25, 0.4, 0.5, 0.8, 1, 1.5, 2, 3, 4, 6, 8) + fine
             if low < math.log(tick) < high]

    def x_of(value):
        return left + (math.log(value) - low) / (high - low) * 520

    top, height = 66, 18
    bottom = top + height * len(rows)
    parts = [f'<text class="q" x="12" y="42">{escaped(axis)}</text>']
    if len(columns) > 1:
        parts += legend([series_name(column) for column in columns], left, 59)
    for tick in ticks:
        kind = "one" if tick == 1 else "g"
        parts.append(f'<line class="{kind}" x1="{x_of(tick):.1f}" x2="{x_of(tick):.1f}" y1="{top}" y2="{bottom}"/>')
        parts.append(f'<text class="m" x="{x_of(tick):.1f}" y="{bottom + 16}">{tick:g}</text>')
    for i, (label, cells) in enumerate(rows):
        y = top + height * i + height / 2
        parts.append(f'<text class="e" x="{left - 8:.1f}" y="{y + 4:g}">{escaped(label)}</text>')
        for j, value in enumerate(cells):
            if value is not None:
                x = x_of(value)
                if len(columns) == 1:
                    parts.append(f'<line x1="{x_of(1):.1f}" x2="{x:.1f}" y1="{y:g}" y2="{y:g}" '
                                 f'stroke="{COLORS[j]}" stroke-width="5" opacity="0.35"/>')
                parts.append(f'<circle cx="{x:.1f}" cy="{y:g}" r="4.5" fill="{COLORS[j]}">'
                             f'<title>{escaped(label)}: {value:g}</title></circle>')
    return svg(round(left + 545), bottom + 28, title, parts)


def shape(text):
    """(operations, elements) of a product written M×K : K×N, with a batch in front of both or without."""
    src, weights = ([int(n) for n in side.split("×")] for side in text.split(" : "))
    batch = src[0] if len(src) == 3 else 1
    m, k, n = src[-2], src[-1], weights[-1]
    return 2 * batch * m * k * n, batch * (m * k + k * n + m * n)


def roofline_points():
    """(type, operations per byte, TFLOP/s) of each product of performance.md."""
    names, rows = table("performance.md", "Squares")
    products = [(row[0], f"{row[1]}×{row[1]} : {row[1]}×{row[1]}", row[names.index("Prim µs")]) for row in rows]
    names, rows = table("performance.md", "Products of networks")
    for row in rows:
        products += [("f32", row[0], row[names.index("f32 µs")]), ("f16", row[0], row[names.index("f16 µs")])]
    points = []
    for kind, text, time in products:
        for name, _, element_bytes in CEILINGS:
            if kind == name:
                flops, elements = shape(text)
                points.append((name, flops / (elements * element_bytes), flops / number(time) / 1e6))
    return points


def roofline():
    title = "Roofline of matmul on the H200: every f32 and f16 product of this page"
    left, top, width, height, x_low, x_high, y_low, y_high = 70, 56, 640, 400, -1, 4, -1, 3.3

    def x_of(value):
        return left + (math.log10(value) - x_low) / (x_high - x_low) * width

    def y_of(value):
        return top + (y_high - math.log10(value)) / (y_high - y_low) * height

    parts = [f'<text class="q" x="12" y="42">TFLOP/s over operations per byte (each tensor moved once), both '
             'logarithmic</text>']
    for power in range(x_low, x_high + 1):
        x = x_of(10.0 ** power)
        parts.append(f'<line class="g" x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{top + height}"/>')
        parts.append(f'<text class="m" x="{x:.1f}" y="{top + height + 16}">{10.0 ** power:g}</text>')
    for power in range(y_low, 4):
        y = y_of(10.0 ** power)
        parts.append(f'<line class="g" x1="{left}" x2="{left + width}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="e" x="{left - 6}" y="{y + 4:.1f}">{10.0 ** power:g}</text>')
    for i, (name, tflops, _) in enumerate(CEILINGS):
        ridge, start = tflops / BANDWIDTH_TB, 10.0 ** x_low
        parts.append(f'<polyline fill="none" stroke="{COLORS[i]}" stroke-width="1.5" points="'
                     f'{x_of(start):.1f},{y_of(start * BANDWIDTH_TB):.1f} {x_of(ridge):.1f},{y_of(tflops):.1f} '
                     f'{left + width},{y_of(tflops):.1f}"/>')
        parts.append(f'<text class="e" x="{left + width - 4}" y="{y_of(tflops) - 6:.1f}">{name}: {tflops} TFLOP/s'
                     '</text>')
    parts.append(f'<text x="{x_of(0.13):.1f}" y="{y_of(1.6):.1f}">{BANDWIDTH_TB} TB/s</text>')
    for name, intensity, tflops in roofline_points():
        color = COLORS[[ceiling[0] for ceiling in CEILINGS].index(name)]
        parts.append(f'<circle cx="{x_of(intensity):.1f}" cy="{y_of(tflops):.1f}" r="4" fill="{color}" '
                     f'fill-opacity="0.6"><title>{name}: {intensity:.3g} operations per byte, {tflops:.3g} TFLOP/s'
                     '</title></circle>')
    parts += legend([ceiling[0] for ceiling in CEILINGS], left + 20, top + 20)
    return svg(730, top + height + 30, title, parts)


def main(arguments):
    pictures = [(out, dot_plot(*rest)) for out, *rest in PLOTS] + [("matmul_roofline.svg", roofline())]
    status = 0
    for out, text in pictures:
        path = os.path.join(DOC, "pictures", out)
        if arguments == ["--check"]:
            if not os.path.exists(path) or open(path, encoding="utf-8").read() != text:
                print(f"{path}: is not what its table gives (scripts/plot_results.py draws it)")
                status = 1
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

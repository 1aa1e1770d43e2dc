#!/usr/bin/env python3
"""Makes web/outline.json, the outline of all land that the map shows without a network.

The data are Natural Earth's countries at 1:110 million, which are in the public domain; Debian's
python3-geopandas has them. Made with:

    apt-get download python3-geopandas && dpkg -x python3-geopandas_*.deb geo
    pip install pyshp
    ./outline.py geo/usr/lib/python3/dist-packages/geopandas/datasets/naturalearth_lowres/naturalearth_lowres.shp
"""

import json
import pathlib
import sys

import shapefile


def ring(points):
    """The ring in hundredths of a degree: its first point, then the way from each to the next."""
    whole = [(round(x * 100), round(y * 100)) for x, y in points]
    steps = list(whole[0])
    for (x, y), (nextx, nexty) in zip(whole, whole[1:]):
        if (x, y) != (nextx, nexty):
            steps += [nextx - x, nexty - y]
    return steps


def rings(shape):
    """All rings of a country; a part begins where `parts` says."""
    ends = list(shape.parts[1:]) + [len(shape.points)]
    return [ring(shape.points[begin:end]) for begin, end in zip(shape.parts, ends)]


source = sys.argv[1]
target = pathlib.Path(__file__).parent / "web" / "outline.json"
lines = [line for shape in shapefile.Reader(source).shapes() for line in rings(shape)]
target.write_text(json.dumps(lines, separators=(",", ":")) + "\n")

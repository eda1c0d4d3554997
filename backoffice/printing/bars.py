"""A chart on paper: both wins of each table side by side."""

from typing import Any, cast

from django.utils.translation import gettext as _
from reportlab.graphics.charts.barcharts import VerticalBarChart
from reportlab.graphics.charts.legends import Legend
from reportlab.graphics.shapes import Drawing
from reportlab.lib import colors
from reportlab.lib.units import mm

from backoffice.printing.characters import SANS
from backoffice.printing.paper import FELT, LINE
from backoffice.wording import formats
from events.money.currency import DEFAULT

_COLOURS = (FELT, colors.HexColor("#c99a3b"))
_CHART = (174 * mm, 52 * mm)
_TABLES_DRAWN = 24


def both_wins(figures: dict[str, Any]) -> Drawing:
    """Return the chart of both wins, in whole units of the currency."""
    tables, drawing = figures["tables"][:_TABLES_DRAWN], Drawing(*_CHART)
    scale = 10 ** formats.exponent(figures["currency"] or DEFAULT)
    chart: Any = VerticalBarChart()  # (its stubs know whole points only)
    chart.x, chart.y, chart.width, chart.height = 14 * mm, 8 * mm, _CHART[0] - 16 * mm, _CHART[1] - 16 * mm
    names = ("inventory_win_minor", "event_win_minor")
    chart.data = [[(table["day"][name] or 0) / scale for table in tables] for name in names]
    chart.categoryAxis.categoryNames = [table["table"] for table in tables]
    for axis in (chart.categoryAxis, chart.valueAxis):
        axis.labels.fontName, axis.labels.fontSize, axis.strokeColor = SANS, 7, LINE
    chart.categoryAxis.labelAxisMode, chart.categoryAxis.visibleTicks = "low", 0
    chart.valueAxis.labelTextFormat = lambda value: formats.number(round(value))
    for number, colour in enumerate(_COLOURS):
        chart.bars[number].fillColor, chart.bars[number].strokeColor = colour, None
    drawing.add(chart)
    drawing.add(_legend())
    return drawing


def _legend() -> Legend:
    legend: Any = Legend()
    legend.x, legend.y, legend.alignment, legend.columnMaximum = _CHART[0] - 60 * mm, _CHART[1], "right", 1
    legend.fontName, legend.fontSize, legend.deltax = SANS, 7, 28 * mm
    legend.colorNamePairs = [*zip(_COLOURS, (_("Table win"), _("Recorded win")), strict=True)]
    return cast(Legend, legend)

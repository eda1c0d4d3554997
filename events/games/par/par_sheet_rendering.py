"""Par sheets as text, as JSON and as a page in Markdown."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from events.games.par import Edge, ParLine, ParSheet
from events.games.par.published_figures import agrees, computed_figure, figures
from events.rules.exact_amount_parsing import render

_PLACES = 4  # of a percentage


def percent(share: Fraction, places: int = _PLACES) -> str:
    """A share as "1.4141 %", rounded half to even; in exact arithmetic."""
    scaled = round(share * 100 * 10**places)
    sign, digits = "-" if scaled < 0 else "", f"{abs(scaled):0{places + 1}d}"
    return f"{sign}{digits[:-places]}.{digits[-places:]} %"


def one_in(share: Fraction) -> str:
    """Return the rarity, as "1 in 369,565"; "" for a common event."""
    return f"1 in {round(1 / share):,}" if 0 < share < Fraction(1, 20) else ""


def short(share: Fraction) -> str:
    """Return the fraction if a person can read it; a long one is only in --json."""
    text = str(render(share))
    return text if len(text) <= 40 else "exact in --json"


def as_json(par_sheet: ParSheet) -> dict[str, Any]:
    """Every figure as an exact fraction and in per cent."""
    return {
        "ruleset": par_sheet.ruleset,
        "edges": [
            {
                "bet": edge.bet,
                "condition": edge.condition,
                "per": edge.per,
                "edge": render(edge.edge),
                "edge_percent": percent(edge.edge),
                "hit": render(edge.hit),
                "hit_percent": percent(edge.hit),
                "note": edge.note,
            }
            for edge in par_sheet.edges
        ],
        "lines": [
            {"label": line.label, "share": render(line.share), "percent": percent(line.share), "note": line.note}
            for line in par_sheet.lines
        ],
    }


def as_text(par_sheet: ParSheet) -> str:
    """Columns for a terminal."""
    rows = [("bet", "when", "per", "edge", "exactly", "wins", "note"), *(_edge_row(edge) for edge in par_sheet.edges)]
    text = f"{par_sheet.ruleset}: the house's edge\n\n{_columns(rows)}"
    if par_sheet.lines:
        text += f"\n{_columns([('item', 'share', 'exactly', '', 'note'), *map(_line_row, par_sheet.lines)])}"
    return text


def as_markdown(par_sheet: ParSheet, *, published: bool = True) -> str:
    """Return tables for a page, with published figures below (of the unchanged ruleset, not of a what-if)."""
    text = (
        f"# Par sheet: {par_sheet.ruleset}\n\nExact, by enumeration through the functions that settle the bets. "
        "A negative edge is the player's. `per` stake: of the first stake; decided: without pushes; outlay: with "
        "commission or further stakes.\n\n"
    )
    text += _table(
        ("bet", "when", "per", "edge", "exactly", "wins", "note"), [_edge_row(edge) for edge in par_sheet.edges]
    )
    if par_sheet.lines:
        text += "\n## Odds and shares\n\n"
        text += _table(("item", "share", "exactly", "", "note"), [_line_row(line) for line in par_sheet.lines])
    return text + (_published(par_sheet) if published else "")


def _edge_row(edge: Edge) -> tuple[str, ...]:
    return edge.bet, edge.condition, edge.per, percent(edge.edge), short(edge.edge), percent(edge.hit), edge.note


def _line_row(line: ParLine) -> tuple[str, ...]:
    rare = one_in(line.share) if line.note == "of the bets" else ""
    return line.label, percent(line.share), short(line.share), rare, line.note


def _published(par_sheet: ParSheet) -> str:
    sheet_figures = figures(par_sheet.ruleset)
    if not sheet_figures:
        return ""
    rows = []
    for figure, source in sheet_figures:
        exact = computed_figure(par_sheet, figure)
        figure_text = figure.figure if "/" in figure.figure else f"{figure.figure} %"
        names = " + ".join(figure.names) + (f", {figure.condition}" if figure.condition else "")
        per = f" of the {figure.per}" if figure.per != "stake" else ""
        verdict = "agrees" if agrees(exact, figure) else "DIFFERS"
        note = f" ({figure.note})" if figure.note else ""
        cells = (
            names,
            f"{figure.of}{per}",
            figure_text + note,
            percent(exact),
            verdict,
            f"[{source.title}]({source.address})",
        )
        rows.append(cells)
    heads = ("what", "figure", "published", "here", "", "where")
    return f"\n## Comparison with published figures\n\n{_table(heads, rows)}"


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |\n" for row in lines)


def _columns(rows: list[tuple[str, ...]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n" for row in rows
    )

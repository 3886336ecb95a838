"""Tables as vipu prints them: columns between bars, a rule above the rows and one below."""


def table(headings, rows, framed=False):
    """Returns a table, one line a row; framed: with a rule above the headings, too."""
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [list(headings)] + cells) for i in range(len(headings))]
    lines = [" " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in [headings] + cells]
    rule = "-" * (sum(widths) + 3 * len(widths))
    return "\n".join(([rule] if framed else []) + [lines[0], rule] + lines[1:] + [rule])

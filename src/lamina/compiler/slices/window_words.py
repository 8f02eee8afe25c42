"""How far outside the slice an input is read, in words and as a setting; all spans are in microseconds."""

from lamina.compiler.slices.units import in_words


def span_in_words(before: int, after: int) -> str:
    """Say how far from the slice something is read.

    >>> span_in_words(6 * 86_400_000_000, 0), span_in_words(3_600_000_000, 7_200_000_000)
    ('6 days before the slice', '1 hour before and 2 hours after the slice')
    """
    sides = [f"{in_words(span)} {side}" for span, side in ((before, "before"), (after, "after")) if span]
    return f"{' and '.join(sides)} the slice"


def extent_in_words(before: int, after: int) -> str:
    """Say from where to where something is read; nothing for exactly the slice.

    >>> extent_in_words(6 * 86_400_000_000, 0), extent_in_words(0, 86_400_000_000)
    ('from 6 days before the slice', 'up to 1 day after the slice')
    """
    if not after:
        return f"from {span_in_words(before, 0)}" if before else ""
    start = f"from {in_words(before)} before " if before else ""
    return f"{start}up to {in_words(after)} after the slice"


def declared_in_words(before: int, after: int) -> str:
    """Say which window is declared.

    >>> declared_in_words(6 * 86_400_000_000, 0), declared_in_words(0, 3_600_000_000)
    ('6 days', '1 hour after')
    """
    if not after:
        return in_words(before)
    return span_in_words(before, after).removesuffix(" the slice")


def window_setting(before: int, after: int) -> str:
    """Return a window as a sidecar declares it.

    >>> print(window_setting(6 * 86_400_000_000, 0), window_setting(0, 3_600_000_000))
    window = "6 days" window = { after = "1 hour" }
    """
    if not after:
        return f'window = "{in_words(before)}"'
    sides = (f'{side} = "{in_words(span)}"' for span, side in ((before, "before"), (after, "after")) if span)
    return f"window = {{ {', '.join(sides)} }}"

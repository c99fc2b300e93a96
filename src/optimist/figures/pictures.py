"""The files of a drawn page: a PNG, a PDF, and a thumbnail.

They contain no date, name or version, so the same page always gives the same bytes.
"""

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from optimist.core.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Page

COLOURS = 256  # per picture; keeping all 16,000 shades of transparent bands would triple the size
THUMBNAIL_WIDTH = 320  # pixels
NAMELESS = {"CreationDate": None, "Creator": None, "Producer": None}


def save(
    page: "Page", png_path: str | Path, pdf_path: str | Path, thumbnail_path: str | Path
) -> None:
    """Write a page to a PNG, a PDF and a thumbnail.

    Parameters
    ----------
    page : Figure
    png_path, pdf_path, thumbnail_path : str or Path
        Files to write; the thumbnail is in WebP format.
    """
    from PIL import Image

    drawn = BytesIO()
    page.savefig(drawn, format="png", metadata={"Software": None})
    picture = Image.open(drawn).convert("RGB")
    # k-means moves the palette to colours that the picture has, so that white stays white.
    method, dither = Image.Quantize.MEDIANCUT, Image.Dither.NONE
    few = picture.quantize(COLOURS, method=method, kmeans=1, dither=dither)
    size = THUMBNAIL_WIDTH, round(picture.height * THUMBNAIL_WIDTH / picture.width)
    small = picture.resize(size, Image.Resampling.LANCZOS)
    page.set_layout_engine("none")  # a second layout would take as long as drawing
    write_atomically(pdf_path, lambda p: page.savefig(p, format="pdf", metadata=NAMELESS))
    as_png = {"format": "PNG", "optimize": True, "dpi": picture.info["dpi"]}
    write_atomically(png_path, lambda p: few.save(p, **as_png))
    write_atomically(thumbnail_path, lambda p: small.save(p, "WEBP", quality=75, method=6))

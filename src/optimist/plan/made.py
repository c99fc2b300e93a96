"""Writing of products: all files come from one writer, and the record comes last."""

import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from optimist.core.files import locked, write_atomically
from optimist.plan import products
from optimist.plan.products import Product, Sources


def make(product: Product, sources: Sources) -> None:
    """Make a product in a temporary folder, then move its files and its record in place.

    All files come from one writer, even if two processes make the same product at once.

    Raises
    ------
    ResultError
        See `optimist.plan.products.make`.
    """
    record = Path(product.record)
    with TemporaryDirectory() as folder:
        made = {
            path: str(Path(folder, Path(path).relative_to(record.parents[1])))
            for path in (*product.files.values(), product.record)
        }
        files = {ending: made[path] for ending, path in product.files.items()}
        products.make(replace(product, files=files, record=made[product.record]), sources)
        record.parent.mkdir(parents=True, exist_ok=True)
        with locked(record.parent):
            record.unlink(missing_ok=True)  # after a kill it would describe other files
            for path in made:
                write_atomically(path, partial(shutil.copyfile, made[path]))

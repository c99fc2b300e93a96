"""Let Python search for garbage less often in processes whose objects mostly live until the end."""

import atexit
import gc


def exempt(allocations: int | None = None) -> None:
    """Exempt all present objects from searches for garbage, now and when the process ends.

    The Snakefile calls this before it plans, with 100,000 allocations. A dry run of everything then
    takes 12 to 17 % less processor time (8.5 s instead of 10.2 s, medians of three). Jobs call it
    after their imports, which saves 0.016 s of 0.178 s. They keep Python's own number, because the
    methods that they play may leave large arrays as garbage.

    Parameters
    ----------
    allocations : int or None
        Number of new objects after which Python searches them for garbage; None for its default.
    """
    gc.freeze()
    if allocations is not None:
        gc.set_threshold(allocations, 20, 100)
    atexit.register(gc.freeze)  # otherwise Python would search everything three more times

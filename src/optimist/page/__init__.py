"""The page of results: one file, made from committed tables alone, that needs no network.

`content` reads the page's data, `curves` packs its curves, `findings` fills the sentences on
results, `formulas` turns docstrings into HTML, `build` assembles the file and `index` lists all
figures in Markdown. The page's own programs are in ``js``, its drawing libraries in ``vendor``.
"""

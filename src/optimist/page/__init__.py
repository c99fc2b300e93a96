"""The page of results: one HTML file, made only from committed tables, that needs no network.

`content` collects the page's data, `curves` packs its curves, `findings` fills numbers into the
sentences about results, `formulas` turns docstrings into HTML, `build` assembles the file, and
`index` lists all figures in Markdown. The page's own scripts are in ``js``, and the drawing
libraries are in ``vendor``.
"""

"""The page of results, a single HTML file that needs no network and shows only committed data.

`content` collects the page's data, `curves` packs its curves, `findings` fills numbers into the
sentences about results, `formulas` turns docstrings into HTML, `build` assembles the file, and
`index` lists all figures in Markdown. The page's own scripts are in ``js``, and the drawing
libraries are in ``vendor``.
"""

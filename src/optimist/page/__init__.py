"""The page of results: one file, made from committed tables alone, that needs no network.

`content` reads what the page shows, `curves` packs its curves, `findings` fills the sentences on
what was found, `formulas` turns docstrings into HTML, `build` puts the file together and `index`
lists all figures in Markdown. The page's own programs are in ``js``, what draws is in ``vendor``.
"""

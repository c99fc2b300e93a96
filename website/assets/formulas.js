// KaTeX draws what website/formulas.py marked.
document.addEventListener("DOMContentLoaded", () => {
  for (const formula of document.querySelectorAll(".formula")) {
    katex.render(formula.textContent, formula, {
      displayMode: formula.classList.contains("displayed"),
      throwOnError: false,
    });
  }
});

"use strict";
// Unpacked curves, means with Student's t intervals, and paired differences.
(function () {
  const app = window.optimist;
  const data = app.data;
  const STEPS = 65535;
  let problem = "";
  let numbers = null; // differences of all curves, 16 bits each

  // The bytes of all curves, high bytes first. The page is shown before the slow decompression ends.
  app.unpack = async function () {
    if (typeof DecompressionStream !== "function") {
      problem = "This browser cannot unpack the curves of this page: Firefox 113, Safari 16.4, Chrome 80 and later ones can.";
      return;
    }
    try {
      numbers = await unpacked();
    } catch (error) {
      problem = "The curves in this file are damaged: download it again, or make it again with optimist page.";
    }
  };

  async function unpacked() {
    const text = document.getElementById("curves").textContent.trim();
    const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    const half = bytes.length / 2;
    const ends = data.cells.flatMap((cell) => [cell.curves, cell.times]).filter(Boolean).map((about) => about.at + about.count * data.grids[about.grid].length);
    if (half !== Math.max(0, ...ends)) throw new Error("too few or too many numbers");
    const found = new Uint16Array(half);
    for (let i = 0; i < half; i++) found[i] = (bytes[i] << 8) | bytes[half + i];
    return found;
  }

  app.isUnpacked = () => numbers !== null;

  // The reason why there are no curves, once it is known.
  app.problem = () => problem;

  // Summaries follow the trials of a cell.
  const SUMMARIES = ["mean", "low", "high", "lower", "median", "upper"];
  const known = new Map();

  // {rounds, trials: [[...]], mean, low, ...} of a cell's curves under `key`, "curves" or "times".
  app.curves = function (cell, key) {
    const about = cell[key];
    if (!about || !numbers) return null;
    const name = `${key} ${about.at}`;
    if (known.has(name)) return known.get(name);
    const rounds = data.grids[about.grid];
    const scale = about.top / STEPS;
    const curves = [];
    let at = about.at;
    for (let k = 0; k < about.count; k++) {
      const values = new Float64Array(rounds.length);
      let step = 0;
      for (let i = 0; i < rounds.length; i++) {
        step = (step + numbers[at++]) & STEPS;
        values[i] = step * scale;
      }
      curves.push(values);
    }
    const found = { rounds, trials: curves.slice(0, curves.length - SUMMARIES.length) };
    SUMMARIES.forEach((summary, i) => (found[summary] = curves[curves.length - SUMMARIES.length + i]));
    known.set(name, found);
    return found;
  };

  // Quantile of Student's t for a 95 % interval of n numbers.
  app.quantile = (n) => data.t[n - 2];

  // {mean, low, high, n} of numbers; low and high are null for fewer than two numbers.
  app.interval = function (values) {
    const n = values.length;
    if (!n) return { mean: null, low: null, high: null, n };
    let mean = 0;
    for (const value of values) mean += value / n;
    if (n < 2) return { mean, low: null, high: null, n };
    let squares = 0;
    for (const value of values) squares += (value - mean) ** 2;
    const half = app.quantile(n) * Math.sqrt(squares / (n - 1) / n);
    return { mean, low: mean - half, high: mean + half, n };
  };

  // The mean paired difference of two lists over the trials in both, with its Student's t interval.
  app.paired = function (first, second) {
    const differences = [];
    for (let i = 0; i < Math.min(first.length, second.length); i++) {
      if (first[i] !== null && second[i] !== null) differences.push(first[i] - second[i]);
    }
    return app.interval(differences);
  };

  app.sorted = (values) => values.filter((value) => value !== null).sort((a, b) => a - b);

  // The median, as numpy computes it.
  app.median = function (values) {
    const found = app.sorted(values);
    const middle = (found.length - 1) / 2;
    if (!found.length) return null;
    return (found[Math.floor(middle)] + found[Math.ceil(middle)]) / 2;
  };

  // A mean of fewer trials has no rank, unless no cell has more trials.
  app.FEWEST = 5;

  const n = (cell) => cell.finals.filter((value) => value !== null).length;
  app.fewest = (cells) => Math.min(app.FEWEST, Math.max(...cells.map(n)));

  app.isFew = function (cell, cells) {
    return n(cell) < app.fewest(cells);
  };

  // Ranks of cells by their mean, except cells with few trials. Cells whose paired difference from the
  // best has an interval that contains zero share the first rank; the rest are ranked in the same way.
  app.ranks = function (cells) {
    const left = cells.filter((cell) => cell.mean.length && !app.isFew(cell, cells)).sort((a, b) => a.mean[0] - b.mean[0]);
    const found = new Map();
    let rank = 1;
    while (left.length) {
      const best = left[0];
      const group = left.filter((cell, i) => {
        if (i === 0) return true;
        const { low, n } = app.paired(cell.finals, best.finals);
        return n < 2 || low <= 0;
      });
      const last = rank + group.length - 1;
      for (const cell of group) found.set(cell, rank === last ? String(rank) : `${rank}–${last}`);
      rank = last + 1;
      for (const cell of group) left.splice(left.indexOf(cell), 1);
    }
    return found;
  };
})();

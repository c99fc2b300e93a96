"use strict";
// Bars of verdicts, checks as dots with intervals, and curves.
(function () {
  const app = window.optimist;
  const { data, h } = app;
  const SVG = "http://www.w3.org/2000/svg";

  // Words, signs and colours of verdicts and outcomes.
  const LOOKS = {
    reproduced: ["✓", "good"], held: ["✓", "good"], matches: ["✓", "good"], holds: ["✓", "good"],
    "better than claimed": ["✓", "good"],
    supported: ["✓", "half"], depends: ["◐", "half"], doubted: ["✗", "half"],
    "not reproduced": ["✗", "bad"], violated: ["✗", "bad"], differs: ["✗", "bad"], fails: ["✗", "bad"],
    open: ["?", "open"], untestable: ["–", "open"], idle: ["–", "open"], missing: ["–", "open"], reported: ["·", "open"], shortened: ["·", "open"],
    vacuous: ["○", "open"], "selected by it": ["○", "open"],
  };
  app.sign = (word) => (LOOKS[word] || ["·", "open"])[0];
  app.tone = (word) => (LOOKS[word] || ["·", "open"])[1];
  app.verdict = (word, words = word) => h("span", { class: `verdict v-${app.tone(word)}` }, `${app.sign(word)} ${words}`);

  const KINDS = { empirical: "claims", guarantee: "guarantees", fact: "facts" };
  app.kinds = KINDS;
  app.count = (n, kind) => app.plural(n, KINDS[kind].slice(0, -1));

  // A bar of the verdicts of one kind, with its numbers in words.
  app.bar = function (claims, kind) {
    const own = claims.filter((claim) => claim.kind === kind);
    if (!own.length) return null;
    const counts = new Map();
    for (const claim of own) counts.set(claim.verdict, (counts.get(claim.verdict) || 0) + 1);
    const order = Object.keys(LOOKS).filter((word) => counts.has(word));
    const words = order.map((word) => `${counts.get(word)} ${word}`).join(", ");
    const bar = h("div", { class: "bar", role: "img", "aria-label": `${app.count(own.length, kind)}: ${words}` });
    for (const word of order) {
      const part = h("span", { class: word.split(" ")[0] });
      part.style.flexGrow = counts.get(word);
      bar.append(part);
    }
    return h("div", {}, bar, h("p", { class: "small quiet" }, `${app.count(own.length, kind)}: ${words}`));
  };

  // Drawings made without Plot.

  function svg(tag, attributes, ...children) {
    const element = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  const C = Object.fromEntries(data.checks.map((name, i) => [name, i]));
  app.columns = C;

  // The requirement of a check in words: "between 0.8 and 1.25".
  app.wanted = (check) => (check[C.relation] ? `${check[C.relation]} ${check[C.relation] === "between" ? check[C.bound].replace(" to ", " and ") : check[C.bound]}` : "");

  // The smallest and largest value that a check allows; null if there is no limit.
  app.bounds = function (check) {
    const numbers = (check[C.bound].match(/-?[\d.]+(e[-+]?\d+)?/gi) || []).map(Number);
    const [a, b] = numbers;
    switch (check[C.relation]) {
      case "below": return [null, a];
      case "above": return [a, null];
      case "between": return [a, b];
      case "equals": return [a - (b || 0), a + (b || 0)];
      default: return [null, null];
    }
  };

  // The pieces of a check's interval, whose ends may be infinite: "0 to 0.36 or 1.4 to inf".
  function pieces(check, unit) {
    const text = (check[C.interval] || "").replaceAll("inf", "Infinity");
    const found = text.split(" or ").map((piece) => piece.split(" to ").map(Number));
    const known = found.filter(([low, high]) => !Number.isNaN(low) && high >= low);
    const value = check[C.value];
    return (known.length ? known : [[value, value]]).map((piece) => piece.map((end) => end / unit));
  }

  // The place of a check on the axis of value over bound; null if its value or a bound is not
  // positive. An interval may touch zero, which is beyond the left end of a logarithmic axis.
  app.relative = function (check) {
    const [least, most] = app.bounds(check);
    const ends = [least, most].filter((end) => end !== null);
    if (!ends.length || !(check[C.value] > 0) || ends.some((v) => !(v > 0))) return null;
    const unit = ends.length === 2 ? Math.sqrt(least * most) : ends[0];
    const found = pieces(check, unit);
    if (found.some(([low]) => low < 0)) return null;
    return {
      value: check[C.value] / unit, pieces: found,
      least: least === null ? null : least / unit, most: most === null ? null : most / unit,
    };
  };

  // The same without a unit, for differences and for values that are only reported.
  function absolute(check) {
    const [least, most] = app.bounds(check);
    return check[C.value] === null ? null : { value: check[C.value], pieces: pieces(check, 1), least, most };
  }

  function extent(rows, isLog) {
    const all = rows.flatMap((row) => [row.value, ...row.pieces.flat(), row.least, row.most]);
    const known = all.filter((v) => v !== null && Number.isFinite(v) && !(isLog && v <= 0));
    return [Math.min(...known), Math.max(...known)];
  }

  // An axis for rows: logarithmic with room at both ends.
  app.axis = function (rows, width, isLog) {
    let [low, high] = extent(rows, isLog);
    if (isLog) {
      low = Math.min(low, 0.8) / 1.15;
      high = Math.max(high, 1.25) * 1.15;
      return d3.scaleLog([low, high], [8, width - 8]).clamp(true);
    }
    const room = 0.08 * (high - low) || 1;
    return d3.scaleLinear([low - room, high + room], [8, width - 8]).clamp(true);
  };

  app.checkSentence = function (check) {
    const wanted = check[C.relation] ? `, wanted ${app.wanted(check)}` : "";
    const interval = check[C.interval] ? ` (${check[C.interval]})` : "";
    return `${check[C.check]}: ${app.number(check[C.value], 4)}${interval}${wanted}: ${check[C.outcome]}`;
  };

  const inside = (value, scale) => value >= scale.domain()[0] && value <= scale.domain()[1];

  function arrow(x, way, tone) {
    return svg("path", { d: `M${x + 6 * way},12 l${-9 * way},-6 v12 z`, class: `${tone} beyond` });
  }

  // One check: its interval, its value and the allowed range.
  app.dot = function (check, scale, width, row) {
    const tone = { good: "c-good", bad: "c-bad" }[app.tone(check[C.outcome])] || "c-open";
    const drawing = svg("svg", { viewBox: `0 0 ${width} 24`, width, height: 24, role: "img", "aria-label": app.checkSentence(check) });
    const [left, right] = scale.range();
    drawing.append(svg("line", { x1: left, x2: right, y1: 12, y2: 12, class: "rule" }));
    const from = row.least === null ? left : scale(row.least);
    const to = row.most === null ? right : scale(row.most);
    if (row.least !== null || row.most !== null) {
      drawing.append(svg("rect", { x: Math.min(from, to), width: Math.max(Math.abs(to - from), 1), y: 0, height: 24, class: "allowed" }));
    }
    for (const end of [row.least, row.most]) {
      if (end !== null) drawing.append(svg("line", { x1: scale(end), x2: scale(end), y1: 0, y2: 24, class: "bound" }));
    }
    for (const [low, high] of row.pieces) {
      drawing.append(svg("line", { x1: scale(low), x2: scale(high), y1: 12, y2: 12, class: tone, "stroke-width": 3 }));
      // An interval that continues beyond the axis ends in an arrow.
      if (!inside(low, scale)) drawing.append(arrow(left, -1, tone));
      if (!inside(high, scale)) drawing.append(arrow(right, 1, tone));
    }
    drawing.append(svg("circle", { cx: scale(row.value), cy: 12, r: 5, class: tone, "stroke-width": 2 }));
    return drawing;
  };

  // Ticks of value over bound, drawn below the rows.
  app.ticks = function (scale, width) {
    const drawing = svg("svg", { viewBox: `0 0 ${width} 22`, width, height: 22, "aria-hidden": "true" });
    const isLog = "base" in scale;
    const ticks = scale.ticks(width < 420 ? 3 : 6);
    const wanted = isLog ? ticks.filter((t) => [1, 2, 5].includes(Number(t.toExponential()[0]))) : ticks;
    let last = -Infinity;
    for (const tick of wanted.includes(1) || !isLog ? wanted : [...wanted, 1].sort((a, b) => a - b)) {
      const x = scale(tick);
      if (x - last < 38 && tick !== 1) continue;
      last = x;
      drawing.append(svg("line", { x1: x, x2: x, y1: 0, y2: 5, class: "bound" }));
      const text = svg("text", { x, y: 17, "text-anchor": "middle", class: "tick" });
      text.textContent = app.number(tick, 2);
      drawing.append(text);
    }
    return drawing;
  };

  // The dot of a single check, on its own axis.
  app.lone = function (check, width) {
    const relative = app.relative(check);
    const row = relative || absolute(check);
    if (!row) return h("span", { class: "quiet" }, "no value");
    return app.dot(check, app.axis([row], width, Boolean(relative)), width, row);
  };

  const allowed = (check) => `${check[C.relation]} ${check[C.bound]}`;

  // The axes of a claim's checks: one for value over bound, and a linear one for each bound that has a
  // check with a number that is not positive. All checks of such a bound are on its linear axis.
  app.axes = function (checks, width) {
    const bounded = checks.filter((check) => check[C.relation] && check[C.value] !== null);
    const linear = new Map(bounded.filter((check) => !app.relative(check)).map((check) => [allowed(check), []]));
    const log = bounded.filter((check) => !linear.has(allowed(check))).map(app.relative);
    for (const check of bounded) (linear.get(allowed(check)) || []).push(absolute(check));
    return {
      log: log.length ? app.axis(log, width, true) : null,
      linear: new Map([...linear].map(([key, rows]) => [key, app.axis(rows, width, false)])),
    };
  };

  app.checks = function (checks, width, axes) {
    const last = new Map(); // the last row of each axis, below which its ticks are drawn
    const found = checks.map((check, i) => {
      const key = axes.linear.has(allowed(check)) ? allowed(check) : "";
      const row = !check[C.relation] ? null : key ? absolute(check) : app.relative(check);
      const scale = key ? axes.linear.get(key) : axes.log;
      if (row) last.set(key, i);
      return h("div", { class: "check" },
        h("div", { class: "small" },
          h("span", { class: `v-${app.tone(check[C.outcome])} verdict` }, app.sign(check[C.outcome]), " "),
          check[C.check], " ",
          h("span", { class: "quiet" }, `${app.number(check[C.value], 4)}${check[C.interval] ? ` (${check[C.interval]})` : ""}`,
            check[C.n] ? `, n\u00a0=\u00a0${check[C.n]}` : "",
            check[C.relation] ? `, wanted ${app.wanted(check)}` : "")),
        row ? h("div", { class: "chart" }, app.dot(check, scale, width, row)) : null,
        check[C.remark] && (!row || ["open", "idle"].includes(check[C.outcome])) ? h("div", { class: "quiet small" }, check[C.remark]) : null);
    });
    for (const [key, i] of last) {
      const words = key ? "value; shaded: allowed" : "value / bound (logarithmic); shaded: allowed; an arrow: it goes on";
      found[i].append(h("div", { class: "chart" }, app.ticks(key ? axes.linear.get(key) : axes.log, width)), h("div", { class: "axis-note" }, words));
    }
    return found;
  };

  // Markers of series, as small drawings next to names.

  const SYMBOLS = {
    circle: d3.symbolCircle, square: d3.symbolSquare, diamond: d3.symbolDiamond, triangle: d3.symbolTriangle,
    inverted: d3.symbolTriangle, plus: d3.symbolCross, cross: d3.symbolCross, left: d3.symbolTriangle,
    right: d3.symbolTriangle, star: d3.symbolStar, pentagon: d3.symbolWye,
  };
  const TURNS = { inverted: 180, cross: 45, left: -90, right: 90 };

  function symbol(look, x, y, size) {
    const path = d3.symbol(SYMBOLS[look.marker], size)();
    return svg("path", {
      d: path, transform: `translate(${x},${y}) rotate(${TURNS[look.marker] || 0})`,
      fill: look.dash.length ? "var(--ground)" : look.colour, stroke: look.colour, "stroke-width": 1.4,
    });
  }

  app.swatch = function (look) {
    const dash = look.dash.map((length) => 1.6 * length).join(" ");
    const line = svg("line", { x1: 0, x2: 30, y1: 8, y2: 8, stroke: look.colour, "stroke-width": 2 });
    if (dash) line.setAttribute("stroke-dasharray", dash);
    return svg("svg", { width: 30, height: 16, class: "swatch", "aria-hidden": "true" }, line, symbol(look, 15, 8, 44));
  };

  // Curves.

  // Plot's English labels for its parts are of no use to a screen reader.
  function finished(drawing, sentence) {
    for (const part of drawing.querySelectorAll("[aria-label]")) part.removeAttribute("aria-label");
    for (const part of drawing.querySelectorAll("[aria-description]")) part.removeAttribute("aria-description");
    drawing.setAttribute("role", "img");
    drawing.setAttribute("aria-label", sentence);
    return drawing;
  }

  const written = (value) => app.number(value, 3);

  // Names at the ends of curves, moved so that they do not overlap.
  function labels(drawing, series, y, width, margin, height) {
    const ends = series
      .map((one) => ({ one, y: y.apply(one.points[one.points.length - 1].y) }))
      .filter((end) => Number.isFinite(end.y))
      .sort((a, b) => a.y - b.y);
    let last = -Infinity;
    for (const end of ends) {
      end.at = Math.max(end.y, last + 14);
      last = end.at;
    }
    for (let i = ends.length - 1, limit = height - 30; i >= 0; i--, limit = ends[i + 1].at - 14) {
      ends[i].at = Math.min(ends[i].at, limit);
    }
    for (const end of ends) {
      drawing.append(symbol(end.one.look, width - margin + 10, end.at, 36));
      const text = svg("text", { x: width - margin + 18, y: end.at + 4, fill: "currentColor", "font-size": 12, "text-anchor": "start" });
      text.textContent = end.one.name;
      drawing.append(text);
    }
  }

  // Markers at different places along each curve, for charts without room for names.
  function markers(drawing, series, x, y) {
    const within = (scale, value) => value >= Math.min(...scale.domain) && value <= Math.max(...scale.domain);
    series.forEach((one, i) => {
      const points = one.points.filter((p) => within(x, p.x) && within(y, p.y));
      for (const part of [0, 1, 2]) {
        const p = points[Math.floor(((part + (i + 0.5) / series.length) / 3) * points.length)];
        if (p) drawing.append(symbol(one.look, x.apply(p.x), y.apply(p.y), 34));
      }
    });
  }

  // Zero, and powers of ten up to the largest drawn value, at most three on each side.
  function symlogTicks(values) {
    const side = (largest) => Array.from({ length: 3 }, (_, i) => 10 ** (Math.floor(Math.log10(largest)) - i)).filter((tick) => tick >= 1 && tick <= largest);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return [...(low < 0 ? side(-low).map((tick) => -tick) : []), 0, ...(high > 0 ? side(high) : [])];
  }

  // series: [{name, look, points: [{x, y, low, high}], trials: [[{x, y}]]}].
  app.drawCurves = function (series, options) {
    const { width, xLabel, yLabel, axis, at, sentence, zero, xLog } = options;
    const height = Math.max(260, Math.min(430, Math.round(0.52 * width)));
    const wide = width > 560;
    const longest = Math.max(0, ...series.map((one) => one.name.length));
    const margin = wide ? Math.min(230, 26 + 6.6 * longest) : 20;
    const isLog = axis === "log";
    const shown = series.map((one) => ({ ...one, points: one.points.filter((p) => Number.isFinite(p.y) && (!isLog || p.y > 0)) })).filter((one) => one.points.length);
    const marks = [];
    for (const one of shown) {
      const common = { stroke: one.look.colour, strokeWidth: one.own ? 2.6 : 1.7 };
      if (one.look.dash.length) common.strokeDasharray = one.look.dash.map((d) => 1.6 * d).join(" ");
      const banded = one.points.filter((p) => p.low !== null && p.low !== undefined);
      if (banded.length) {
        const floor = isLog ? (p) => Math.max(p.low, 1e-9) : (p) => p.low;
        marks.push(Plot.areaY(banded, { x: "x", y1: floor, y2: "high", fill: one.look.colour, fillOpacity: 0.15, clip: true }));
      }
      for (const trial of one.trials || []) {
        marks.push(Plot.lineY(trial.filter((p) => !isLog || p.y > 0), { x: "x", y: "y", stroke: one.look.colour, strokeOpacity: 0.3, strokeWidth: 0.8, clip: true }));
      }
      marks.push(Plot.lineY(one.points, { x: "x", y: "y", ...common, clip: true }));
    }
    if (zero) marks.push(Plot.ruleY([0], { stroke: "currentColor", strokeOpacity: 0.6 }));
    if (at) marks.push(Plot.ruleX([at], { stroke: "currentColor", strokeDasharray: "4 3" }));
    const y = { label: yLabel, type: axis === "linear" ? "linear" : axis, grid: true, tickFormat: written, nice: axis === "linear" };
    if (isLog && shown.length) {
      const last = Math.max(...shown.map((one) => one.points[one.points.length - 1].x));
      const settled = shown.flatMap((one) => one.points.filter((p) => p.x >= (xLog ? 0 : 0.02 * last)).map((p) => p.y));
      const tops = shown.flatMap((one) => one.points.map((p) => Math.max(p.y, p.high || 0)));
      y.domain = [0.5 * Math.min(...settled), Math.max(...tops)];
    }
    if (isLog) y.ticks = 5;
    // By default, Plot gives this axis the ticks of a linear axis.
    if (axis === "symlog") y.ticks = symlogTicks(shown.flatMap((one) => one.points.flatMap((p) => [p.y, p.low ?? p.y, p.high ?? p.y])));
    const drawing = Plot.plot({
      className: "plot", width, height, marginLeft: 58, marginRight: margin, marginBottom: 40,
      x: { label: xLabel, type: xLog ? "log" : "linear", domain: options.domain, tickFormat: written, ticks: width < 480 ? 4 : 7 },
      y, marks,
    });
    if (wide) labels(drawing, shown, drawing.scale("y"), width, margin, height);
    else markers(drawing, shown, drawing.scale("x"), drawing.scale("y"));
    return finished(drawing, sentence);
  };

  // Regret against seconds: dots with whiskers, and a line through the dots that no other beats in both.
  app.drawTradeoff = function (points, options) {
    const { width, sentence, yLog } = options;
    const best = points.slice().sort((a, b) => a.x - b.x).filter((p, i, all) => all.slice(0, i).every((q) => q.y > p.y));
    const longest = Math.max(0, ...points.map((p) => p.name.length));
    const wide = width > 420;
    const margin = wide ? Math.min(200, 20 + 6.6 * longest) : 14;
    const height = Math.max(260, Math.min(400, Math.round(0.6 * width)));
    const drawing = Plot.plot({
      className: "plot", width, height, marginLeft: 58, marginRight: margin, marginBottom: 40,
      x: { type: "log", label: "seconds per trial", tickFormat: written, grid: true, ticks: width < 480 ? 3 : 6 },
      y: { type: yLog ? "log" : "linear", label: "mean final regret", tickFormat: written, grid: true, ticks: 5, zero: !yLog, nice: !yLog },
      marks: [
        Plot.line(best, { x: "x", y: "y", curve: "step-after", stroke: "currentColor", strokeDasharray: "3 3", strokeOpacity: 0.7 }),
        Plot.link(points, { x1: "x", x2: "x", y1: "low", y2: "high", stroke: (p) => p.look.colour }),
        Plot.link(points, { x1: "fast", x2: "slow", y1: "y", y2: "y", stroke: (p) => p.look.colour }),
      ],
    });
    const [x, y] = [drawing.scale("x"), drawing.scale("y")];
    const ends = points.map((p) => ({ p, x: x.apply(p.x), y: y.apply(p.y) })).sort((a, b) => a.y - b.y);
    let last = -Infinity;
    for (const end of ends) {
      drawing.append(symbol(end.p.look, end.x, end.y, 52));
      if (!wide) continue;
      const at = Math.max(end.y, last + 13);
      last = at;
      drawing.append(svg("line", { x1: end.x + 6, x2: width - margin + 4, y1: end.y, y2: at, stroke: "currentColor", "stroke-opacity": 0.15 }));
      const text = svg("text", { x: width - margin + 6, y: at + 4, fill: "currentColor", "font-size": 12, "text-anchor": "start" });
      text.textContent = end.p.name;
      drawing.append(text);
    }
    return finished(drawing, sentence);
  };

  // Files to save.

  app.save = function (name, type, text) {
    const link = h("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };

  // A drawing as a separate file, with a title, the meaning of bands, and explicit colours.
  app.asFile = function (drawing, lines) {
    const copy = drawing.cloneNode(true);
    const style = getComputedStyle(drawing);
    const [width, height] = [Number(drawing.getAttribute("width")), Number(drawing.getAttribute("height"))];
    const room = 18 * lines.length + 8;
    copy.setAttribute("xmlns", SVG);
    copy.setAttribute("viewBox", `0 ${-room} ${width} ${height + room}`);
    copy.setAttribute("height", height + room);
    copy.setAttribute("color", style.color);
    copy.setAttribute("font-family", "sans-serif");
    copy.setAttribute("font-size", 11);
    const ground = getComputedStyle(document.body).backgroundColor;
    copy.prepend(svg("rect", { x: 0, y: -room, width, height: height + room, fill: ground }));
    lines.forEach((line, i) => {
      const text = svg("text", { x: 8, y: 18 * (i + 1) - room, fill: "currentColor", "font-size": i ? 11 : 14, "text-anchor": "start" });
      text.textContent = line;
      copy.append(text);
    });
    return new XMLSerializer().serializeToString(copy).replaceAll("var(--ground)", ground);
  };
})();

"use strict";
// Content, elements, addresses, theme and search. Everything else is attached to `optimist`.
(function () {
  const app = (window.optimist = {});
  const data = JSON.parse(document.getElementById("data").textContent);
  app.data = data;

  // Elements.

  app.h = function (tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === false || value === null || value === undefined) continue;
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else if (key === "value") element.value = value;
      else element.setAttribute(key, value === true ? "" : value);
    }
    const wanted = children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false);
    element.append(...wanted);
    return element;
  };

  // The HTML of formulas and code was made from the project's docstrings when the page was built.
  app.html = function (tag, attributes, text) {
    const element = app.h(tag, attributes);
    element.innerHTML = text;
    return element;
  };

  app.link = (path, ...children) => app.h("a", { href: app.address(path) }, ...children);

  app.announce = function (text) {
    document.getElementById("live").textContent = text;
  };

  // Numbers.

  app.number = function (value, digits = 3) {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-4 || size >= 1e7)) return value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e");
    // Numbers with more digits are rounded to whole numbers with at least four significant digits.
    if (size >= 10 ** digits) return String(Math.round(Number(value.toPrecision(Math.max(digits, 4)))));
    return String(Number(value.toPrecision(digits)));
  };

  app.plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

  // Addresses: `#/path?key=value`.

  app.address = function (path, values) {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(values || {})) {
      if (value !== "" && value !== null && value !== undefined) query.set(key, value);
    }
    const text = query.toString();
    return "#/" + path.split("/").map(encodeURIComponent).join("/") + (text ? "?" + text : "");
  };

  app.place = function () {
    const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
    const parts = path.split("/").filter(Boolean).map((part) => {
      try {
        return decodeURIComponent(part);
      } catch (error) {
        return part;
      }
    });
    return { parts, values: Object.fromEntries(new URLSearchParams(query || "")) };
  };

  // Write changed controls to the address, without a history entry for every step of a slider.
  app.set = function (changes, quietly) {
    const { parts, values } = app.place();
    const address = app.address(parts.join("/"), { ...values, ...changes });
    if (address === location.hash) return;
    if (quietly) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
    app.show();
  };

  // The known name closest to a name that does not exist, by the number of changed letters.
  app.nearest = function (name, known) {
    let best = null;
    let least = Infinity;
    for (const other of known) {
      const steps = distance(name.toLowerCase(), other.toLowerCase());
      if (steps < least) [best, least] = [other, steps];
    }
    return best;
  };

  function distance(a, b) {
    let row = Array.from({ length: b.length + 1 }, (_, i) => i);
    for (let i = 1; i <= a.length; i++) {
      const next = [i];
      for (let j = 1; j <= b.length; j++) {
        const change = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
        next.push(Math.min(change, row[j] + 1, next[j - 1] + 1));
      }
      row = next;
    }
    return row[b.length];
  }

  // Theme: the system's theme, or the chosen one.

  const THEMES = ["system", "dark", "light"];

  function stored(name, value) {
    try {
      if (value === undefined) return localStorage.getItem(name);
      localStorage.setItem(name, value);
    } catch (error) {
      // A browser may not store anything for local files.
    }
    return null;
  }

  app.theme = function (name) {
    const button = document.getElementById("theme");
    document.documentElement.dataset.theme = name;
    button.textContent = { system: "◐", dark: "●", light: "○" }[name];
    button.setAttribute("aria-label", `Theme: ${name === "system" ? "as the system" : name}`);
    stored("theme", name);
  };

  app.start = function () {
    const known = stored("theme");
    app.theme(THEMES.includes(known) ? known : "system");
    document.getElementById("theme").addEventListener("click", () => {
      const now = document.documentElement.dataset.theme;
      app.theme(THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]);
      app.show();
    });
    document.getElementById("skip").addEventListener("click", () => document.getElementById("main").focus());
    window.addEventListener("hashchange", app.show);
    window.addEventListener("beforeprint", () => {
      for (const details of document.querySelectorAll("details")) details.open = true;
    });
    find();
  };

  // The search box.

  function entries() {
    const found = [];
    for (const [id, claim] of Object.entries(data.claims)) {
      found.push(["claim", `${id} ${claim.headline || claim.statement}`, `claim/${id}`, `${claim.statement} ${claim.words} ${claim.kind} ${claim.flags} ${claim.note}`]);
    }
    found.push(["list", "Open claims, and what would decide them", "open", "open cost trials core-hours"]);
    for (const [id, paper] of Object.entries(data.papers)) {
      const name = paper.names[paper.method] || id;
      for (const [kind, words] of [["empirical", "claims"], ["guarantee", "guarantees"], ["fact", "facts"]]) {
        found.push(["list", `${name}: ${words}`, `paper/${id}`, `${kind} ${id}`, { kind }]);
      }
    }
    for (const [id, figure] of Object.entries(data.figures)) {
      found.push(["figure", figure.title, `paper/${id.split("/")[0]}`, figure.caption, { figure: id.split("/")[1] }]);
    }
    for (const [id, method] of Object.entries(data.methods)) {
      found.push(["method", method.title, `method/${id}`, `${method.sentence} ${method.reference}`]);
    }
    for (const [id, setting] of Object.entries(data.settings)) {
      found.push(["setting", `${setting.title} (${id})`, `setting/${id}`, setting.about]);
    }
    return found.map(([kind, name, path, text, values]) => ({
      kind, name, path, values, text: `${kind} ${name} ${text} ${path}`.toLowerCase(),
    }));
  }

  function find() {
    const box = document.getElementById("find");
    const list = document.getElementById("found");
    const all = entries();
    let shown = [];
    let chosen = -1;

    function close() {
      list.hidden = true;
      box.setAttribute("aria-expanded", "false");
      box.removeAttribute("aria-activedescendant");
      chosen = -1;
    }

    function choose(i) {
      const entry = shown[i];
      if (!entry) return;
      box.value = "";
      close();
      location.hash = app.address(entry.path, entry.values);
      document.getElementById("main").focus();
    }

    function mark(i) {
      chosen = (i + shown.length) % shown.length;
      [...list.children].forEach((item, j) => item.setAttribute("aria-selected", String(j === chosen)));
      box.setAttribute("aria-activedescendant", `found-${chosen}`);
      list.children[chosen].scrollIntoView({ block: "nearest" });
    }

    box.addEventListener("input", () => {
      const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
      if (!words.length) return close();
      const matching = all.filter((entry) => words.every((word) => entry.text.includes(word)));
      const inName = (entry) => words.every((word) => entry.name.toLowerCase().includes(word));
      const place = (entry) => (inName(entry) ? 0 : 2) + (entry.kind === "list" ? 0 : 1);
      shown = matching.slice().sort((a, b) => place(a) - place(b)).slice(0, 12);
      list.replaceChildren(
        ...shown.map((entry, i) =>
          app.h("li", { role: "option", id: `found-${i}`, "aria-selected": "false", onmousedown: () => choose(i) },
            app.h("span", { class: "kind" }, entry.kind, " "), entry.name)),
      );
      if (!shown.length) list.replaceChildren(app.h("li", { role: "option", "aria-disabled": "true", "aria-selected": "false" }, "Nothing found"));
      list.hidden = false;
      box.setAttribute("aria-expanded", "true");
      chosen = -1;
      app.announce(shown.length ? app.plural(matching.length, "match").replace("matchs", "matches") : "Nothing found");
    });
    box.addEventListener("keydown", (event) => {
      if (event.key === "Escape") return close();
      if (!shown.length || list.hidden) return undefined;
      if (event.key === "ArrowDown") mark(chosen + 1);
      else if (event.key === "ArrowUp") mark(chosen - 1);
      else if (event.key === "Enter") choose(Math.max(chosen, 0));
      else return undefined;
      event.preventDefault();
      return undefined;
    });
    box.addEventListener("blur", close);
  }
})();

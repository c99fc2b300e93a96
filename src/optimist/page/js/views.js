"use strict";
// The views: home, paper, claim, explorer, methods and settings, provenance.
(function () {
  const app = window.optimist;
  const { data, h, link, number } = app;
  const C = app.columns;
  const main = document.getElementById("main");

  const paperName = (id) => data.papers[id].names[data.papers[id].method] || id;
  const claimsOf = (paper) => Object.entries(data.claims).filter(([, claim]) => claim.paper === paper);
  const short = (id) => id.slice(id.indexOf(".") + 1);
  const width = () => Math.max(280, Math.min(main.clientWidth - 32, 1180));
  const lookOf = (paper, label) => data.labels[`${paper}/${label}`];
  const nameOf = (paper, label) => lookOf(paper, label).name;
  const base = (label) => label.split("[")[0];

  // Home.

  function home() {
    const all = Object.values(data.claims);
    const trials = data.cells.reduce((sum, cell) => sum + cell.finals.filter((v) => v !== null).length, 0);
    const kinds = Object.keys(app.kinds).map((kind) => app.count(all.filter((c) => c.kind === kind).length, kind));
    return [
      h("h1", {}, "Four papers claimed. We ran them again."),
      h("p", { class: "quiet" },
        `${kinds.join(", ")}, ${data.cells.length.toLocaleString("en")} cells of setting and algorithm, `,
        `${trials.toLocaleString("en")} trials. Every claim leads to its trials, and to commands that make them again.`),
      h("div", { class: "cards" }, Object.keys(data.papers).map(card)),
      data.findings.length ? [h("h2", {}, "What we found"),
        h("p", { class: "small quiet" }, "Beside each sentence the check whose number it quotes: shaded what the claim allows; the dot is green if it holds, red if it fails, hollow if it is open. A claim has more checks than this one."), h("ol", { class: "findings" }, data.findings.map(finding))] : null,
      h("h2", {}, "What the words mean"),
      h("p", {}, "A claim is ", app.verdict("reproduced"), " if it holds in every reading that the paper allows, ",
        app.verdict("not reproduced"), " if it fails in every reading, and ", app.verdict("depends"), " on a choice if it holds in some and fails in others. It is ",
        app.verdict("supported"), " or ", app.verdict("doubted"), " if some readings hold, or fail, and the others are open, and ", app.verdict("open"), " if no reading is decided. A guarantee is a theorem with all its constants; it is ",
        app.verdict("vacuous"), " if no run could break it. A fact is a number of the set-up."),
      glossary(),
      h("p", {}, link("open", "What would decide the open claims"), "; ", link("methods", "all methods and settings"), "; ", link("provenance", "what made the numbers"), "."),
    ];
  }

  const GLOSSARY = [
    ["reading", "one way to understand a claim: stated by the paper, unstated there, or ours, which is shown and not counted"],
    ["check", "one number compared with what a reading allows; it holds, fails, or is open"],
    ["gate", "a test that some method beats uniform play by the factor that a check names; a check is idle where no method does"],
    ["choice", "a gap that the paper leaves, such as the radius of a confidence set; a reading fills each gap in one way"],
    ["p", "the chance of such data if the check, or its opposite, were just wrong: small if it holds, or if it fails"],
    ["trial, turn", "a repetition with new noise; a repetition of a timing, in random order with its rivals"],
    ["doubling", "trials count in steps of 10, 20, 40, ...; each step halves the error allowed, so that a claim may be judged again at any time"],
    ["radius", "the width of a confidence set: that of the theorem, or matched, the same for all methods on the same data; a factor multiplies it"],
  ];

  // The meanings of the words for checks and verdicts.
  function glossary() {
    return h("details", {}, h("summary", {}, "Reading, check, gate, doubling and other words"),
      h("dl", {}, GLOSSARY.map(([word, meaning]) => [h("dt", {}, word), h("dd", {}, meaning)])));
  }

  function card(id) {
    const paper = data.papers[id];
    const figures = Object.keys(data.figures).filter((name) => name.startsWith(`${id}/`));
    const own = claimsOf(id).map(([, claim]) => claim);
    return h("section", { class: "card" },
      h("h2", {}, link(`paper/${id}`, paperName(id))),
      h("p", { class: "small quiet" }, paper.title, ". ", paper.reference),
      figures.length ? thumbnail(figures[0], false) : null,
      paper.claimed ? h("p", {}, h("b", {}, "Claimed: "), paper.claimed) : null,
      paper.found ? h("p", {}, h("b", {}, "Found: "), paper.found) : null,
      Object.keys(app.kinds).map((kind) => app.bar(own, kind)));
  }

  function finding(entry) {
    const claim = data.claims[entry.claim];
    return h("li", {},
      h("div", {}, entry.text, " ", app.verdict(claim.verdict), " ", link(`claim/${entry.claim}`, entry.claim)),
      h("div", { class: "chart" }, app.lone(claim.checks[entry.check], 240)));
  }

  // A thumbnail, which the full picture replaces if it can be loaded.
  function thumbnail(id, full) {
    const figure = data.figures[id];
    const small = `data:image/webp;base64,${figure.thumb}`;
    const picture = h("img", { class: figure.size[0] > 1.6 * figure.size[1] ? "thumb wide" : "thumb", src: full ? figure.png : small, alt: figure.title, width: figure.size[0], height: figure.size[1], loading: full ? "lazy" : null });
    if (full) {
      picture.style.backgroundImage = `url(${small})`; // until the full picture is loaded
      picture.addEventListener("error", () => {
        picture.src = small;
        picture.closest("figure")?.prepend(h("p", { class: "small quiet" }, `The full figure, figures/${figure.png}, is not beside this page: it is in the repository.`));
      }, { once: true });
    }
    return picture;
  }

  // Paper.

  function paper([id], values) {
    const about = data.papers[id];
    const all = claimsOf(id);
    const words = [...new Set(all.map(([, claim]) => claim.verdict))];
    const wanted = all.filter(([name, claim]) =>
      (!values.kind || claim.kind === values.kind) && (!values.verdict || claim.verdict === values.verdict) &&
      (!values.q || `${name} ${claim.statement} ${claim.headline} ${claim.place}`.toLowerCase().includes(values.q.toLowerCase())));
    const count = (key, word) => all.filter(([, claim]) => claim[key] === word && (key === "kind" || !values.kind || claim.kind === values.kind)).length;
    const shownPanels = values.claim && data.claims[values.claim] ? panelsOf(data.claims[values.claim]) : [];
    const figures = Object.entries(data.figures).filter(([name]) => name.startsWith(`${id}/`));
    return [
      h("h1", {}, `${paperName(id)}: ${about.title}`),
      h("p", { class: "quiet" }, about.reference),
      about.claimed ? h("p", {}, h("b", {}, "Claimed: "), about.claimed) : null,
      about.found ? h("p", {}, h("b", {}, "Found: "), about.found) : null,
      h("div", {}, Object.keys(app.kinds).map((kind) => app.bar(all.map(([, c]) => c), kind))),
      about.deviations.length ? h("details", {}, h("summary", {}, `Where we had to choose (${about.deviations.length} sections of docs/deviations.md)`),
        h("ul", {}, about.deviations.map(([title]) => h("li", {}, title)))) : null,
      h("div", { class: "controls", role: "group", "aria-label": "Filter claims" },
        select("kind", "Kind", values.kind || "", [["", `all ${all.length}`], ...Object.keys(app.kinds).map((k) => [k, `${app.kinds[k]} ${count("kind", k)}`])]),
        words.filter((word) => count("verdict", word) || values.verdict === word).map((word) => h("button", { type: "button", id: `v-${word}`, class: "toggle", "aria-pressed": String(values.verdict === word), onclick: () => app.set({ verdict: values.verdict === word ? "" : word }) },
          `${app.sign(word)} ${word} ${count("verdict", word)}`)),
        field("q", "Words", values.q || "")),
      h("div", { class: "split" },
        h("section", { "aria-label": "Claims" },
          h("h2", {}, values.kind ? app.count(wanted.length, values.kind) : `${wanted.length} claims, guarantees and facts`),
          h("ul", { class: "claims" }, wanted.map(([name, claim]) => claimLine(name, claim, name === values.claim)))),
        h("section", { "aria-label": "Figures" },
          h("h2", {}, "Figures"),
          figures.map(([name, figure]) => figureView(id, name, figure, shownPanels, values)))),
    ];
  }

  function claimLine(name, claim, marked) {
    return h("li", { class: marked ? "marked" : null },
      h("a", { href: app.address(`claim/${name}`) },
        h("span", { class: `v-${app.tone(claim.verdict)} verdict`, "aria-hidden": "true" }, app.sign(claim.verdict)),
        h("span", { class: "quiet" }, short(name)),
        h("span", {}, claim.headline || claim.statement, " ", h("span", { class: "small quiet" }, [claim.words, claim.kind === "empirical" ? "" : claim.kind].filter(Boolean).join(", ")))));
  }

  // Names of panels behind a claim: {"fig1": ["a", "b"]}.
  function panelsOf(claim) {
    const found = new Map();
    for (const check of claim.checks) {
      for (const place of (check[C.figures] || "").split(", ").filter(Boolean)) {
        const [, name, letter] = place.match(/^(\w+)(?: \((\w)\))?$/) || [];
        if (!name) continue;
        if (!found.has(name)) found.set(name, new Set());
        if (letter) found.get(name).add(letter);
      }
    }
    return [...found].map(([name, letters]) => [name, [...letters].sort()]);
  }

  function claimsOfFigure(paperId, name) {
    return claimsOf(paperId).filter(([, claim]) => panelsOf(claim).some(([figure]) => figure === name));
  }

  function figureView(paperId, id, figure, shownPanels, values) {
    const name = id.split("/")[1];
    const marked = values.figure === name || shownPanels.some(([figureName]) => figureName === name);
    const related = claimsOfFigure(paperId, name);
    const explored = figure.panels.filter((panel) => panel.setting);
    return h("figure", { id: `figure-${name}`, class: marked ? "marked" : null },
      h("a", { href: figure.png, "aria-label": `${figure.title}: full size` }, thumbnail(id, true)),
      h("figcaption", {},
        h("h3", {}, figure.title),
        h("p", {}, figure.caption),
        related.length ? h("p", { class: "small" }, "Claims: ", related.flatMap(([claim, about], i) => [i ? " " : "",
          h("a", { class: "whole", href: app.address(`claim/${claim}`) }, h("span", { class: `v-${app.tone(about.verdict)}` }, app.sign(about.verdict)), short(claim))])) : null,
        h("div", { class: "links" },
          h("a", { href: figure.pdf }, "PDF"), h("a", { href: figure.csv }, "CSV"),
          explored.map((panel) => h("a", { href: app.address("explore", explorerValues(paperId, panel)) },
            `Explore ${panel.letter ? `(${panel.letter}) ` : ""}${panel.title}`)))));
  }

  const explorerValues = (paperId, panel) => ({
    paper: paperId, setting: panel.setting, algs: panel.algorithms.join(";"), axis: panel.axis === "linear" ? "" : panel.axis,
  });

  // Claim.

  const FOLDED = 12;

  // A claim with names in place of labels. The table of all checks keeps labels, which files and
  // commands use.
  function worded(about) {
    const known = (label) => (data.labels[`${about.paper}/${label}`] || {}).name || (data.settings[`${about.paper}/${label}`] || {}).title;
    const options = (label) => optionsOf(label).map((option) => option.replace("=", " ").replaceAll("_", " "));
    // The name of a setting without trials comes from its base setting.
    const named = (label) => known(label) || (label.includes("[") && known(base(label)) ? [known(base(label)), ...options(label)].join(", ") : label);
    const inWords = (text) => (text || "").replace(/[a-z]\w*(\.\w+)*(\[[^\]]*\])?/gi, named);
    const checks = about.checks.map((check) => check.map((value, i) => (i === C.check || i === C.remark ? inWords(value) : value)));
    const readings = about.readings.map(([name, ...others]) => [name.replaceAll("_", " "), ...others]);
    const explanation = about.readings.reduce((text, [name]) => (name ? text.replaceAll(name, name.replaceAll("_", " ")) : text), about.explanation);
    return { ...about, checks, readings, explanation: inWords(explanation), deciding: inWords(about.deciding) };
  }

  function claim([id]) {
    const about = worded(data.claims[id]);
    // Our own readings follow the reading that they are shown with.
    const names = [...new Set(about.readings.map(([name]) => name))];
    const place = ({ name, status }) => 2 * names.indexOf(name) + (status === "ours");
    const groups = about.readings.map(([name, status, outcome], i) => ({ name, status, outcome, checks: about.checks.filter((check) => check[0] === i) }))
      .sort((a, b) => place(a) - place(b));
    const axes = app.axes(about.checks, drawn());
    const panels = panelsOf(about);
    const settings = [...new Set(about.checks.flatMap((check) => split(check[C.settings])))].filter((s) => data.settings[`${about.paper}/${s}`]);
    const methods = [...new Set(about.checks.flatMap((check) => split(check[C.algorithms]).map(base)))]
      .map((name) => `${data.papers[about.paper].domain}/${name}`).filter((key) => data.methods[key]);
    return [
      h("p", { class: "small" }, link(`paper/${about.paper}`, `‹ ${paperName(about.paper)}`)),
      h("h1", {}, `${short(id)} `, about.statement),
      h("p", {}, app.verdict(about.verdict, about.words), h("span", { class: "quiet" }, ` ${about.kind}; ${about.place}`)),
      about.quote ? h("blockquote", {}, `“${about.quote}”`, about.paper_value ? h("span", { class: "quiet" }, ` The paper prints ${about.paper_value}.`) : null) : null,
      about.effect ? h("p", {}, h("b", {}, "We measure: "), about.effect) : null,
      about.typical ? h("p", {}, h("b", {}, "In the typical trial: "), about.typical, ".") : null,
      why(about),
      glossary(),
      about.flags ? h("p", { class: "note" }, about.flags[0].toUpperCase(), about.flags.slice(1).replace(/\.$/, ""), ".") : null,
      beside(about),
      about.note ? h("p", {}, about.note) : null,
      needed(about),
      groups.map((group) => readingView(group, axes, drawn())),
      h("h2", {}, "Where it comes from"),
      h("dl", {},
        listed("Panels", panels.map(([name, letters]) => h("a", { href: app.address(`paper/${about.paper}`, { figure: name, claim: id }) }, letters.length ? `${name} (${letters.join(", ")})` : name))),
        listed("Settings", settings.map((s) => link(`setting/${about.paper}/${s}`, data.settings[`${about.paper}/${s}`].title))),
        listed("Methods", methods.map((key) => link(`method/${key}`, data.methods[key].title))),
        h("dt", {}, "Stated in"), h("dd", {}, h("code", {}, `config/papers/${about.paper}/claims.yaml`), about.line ? `, line ${about.line}` : ""),
        h("dt", {}, "Trials"), h("dd", {}, h("a", { href: `${about.paper}/trials.parquet` }, h("code", {}, `figures/${about.paper}/trials.parquet`)), "; docs/check-a-verdict.md computes such numbers from it"),
        h("dt", {}, "Choices"), h("dd", {}, h("code", {}, "docs/deviations.md"))),
      again(about),
      h("p", {}, "Run it all again, or read all checks:"),
      command(`snakemake --cores all ${about.paper}`),
      command(`optimist claims ${about.paper} --details`),
      h("details", {}, h("summary", {}, `All ${about.checks.length} checks as a table`), checkTable(data.claims[id], id)),
    ];
  }

  const joined = (items) => items.flatMap((item, i) => [i ? ", " : "", item]);
  const listed = (name, items) => (items.length ? [h("dt", {}, name), h("dd", {}, joined(items))] : null);

  // A command that plays the trials behind the first comparison of regrets.
  function again(about) {
    const check = about.checks.find((one) => one[C.n] && one[C.units] === "trials" && one[C.check].startsWith("regret") && split(one[C.settings]).length === 1 && split(one[C.algorithms]).length);
    if (!check) {
      const isOfTime = about.checks.some((one) => one[C.units] === "turns");
      return isOfTime ? h("p", {}, "Times are measured in races, which the first of these commands runs; no command plays a single one.") : null;
    }
    const labels = split(check[C.algorithms]).map((label) => `"${label}"`).join(" ");
    return [h("p", {}, "Play the trials of one check alone, ", h("span", { class: "quiet" }, check[C.check]), ":"),
      command(`optimist compare "${about.paper}/${check[C.settings]}" -a ${labels} --trials ${check[C.n]} --fresh`)];
  }

  const PLURALS = { holds: "hold", fails: "fail", matches: "match", differs: "differ" };

  // The readings that count, with their outcomes, and then the full explanation.
  function why(about) {
    const counted = about.readings.map(([name, status, outcome], i) => ({ name, status, outcome, checks: about.checks.filter((check) => check[0] === i) }))
      .filter(({ status, checks }) => status !== "ours" && checks.length);
    if (counted.length < 2 && about.explanation.length < 240) return h("p", {}, h("b", {}, "Why: "), about.explanation, ".");
    const line = ({ name, outcome, checks }) => {
      const counts = new Map();
      for (const check of checks) counts.set(check[C.outcome], (counts.get(check[C.outcome]) || 0) + 1);
      return h("li", {}, app.verdict(outcome), ` ${name || "all checks"}: `, h("span", { class: "quiet" }, [...counts].map(([word, count]) => `${count} of ${checks.length} ${count > 1 ? PLURALS[word] || word : word}`).join(", ")));
    };
    return h("div", {}, h("p", {}, h("b", {}, "Why, reading by reading:")), h("ul", {}, counted.map(line)),
      h("details", {}, h("summary", {}, "In full"), h("p", { class: "small" }, about.explanation, ".")));
  }

  const split = (text) => (text || "").split(/, (?![^[]*\])/).filter(Boolean);

  function needed(about) {
    if (!about.deciding) return null;
    return h("div", { class: "note" }, h("p", {}, h("b", {}, `The next look (${about.cause}): `), about.deciding), about.command ? command(about.command) : null);
  }

  // Additions to the verdict: the stated reading, the verdict with our own readings, and the verdicts
  // with other meanings of a vague word.
  function beside(about) {
    const choices = Object.values(about.choices).map(({ name, about: sentence, alternatives }) => h("li", {}, h("b", {}, `${name}. `), sentence,
      h("ul", {}, Object.values(alternatives).map((one) => h("li", {}, `${one.name} (${one.status}): ${one.about}`)))));
    const lines = [
      about.stated && ["Stated reading", about.stated],
      about.if_counted && ["Word if our own readings counted", about.if_counted],
      about.own_interval && ["With other meanings of its vague word", about.own_interval],
      about.turns !== null && about.turns > 0 && ["The word would change at an error of", `${number(about.turns, 2)} on a side, instead of ${number(about.alpha, 2)}`],
    ].filter(Boolean);
    return [
      lines.length ? h("ul", { class: "small" }, lines.map(([name, text]) => h("li", {}, `${name}: `, text))) : null,
      about.parts ? h("details", {}, h("summary", {}, "Its parts"), h("ul", {}, about.parts.split("; ").map((part) => h("li", {}, part)))) : null,
      choices.length ? h("details", {}, h("summary", {}, "The choices that its readings make"), h("ul", {}, choices)) : null,
    ];
  }

  // The next looks of open and doubted claims, by the price of an answer. Claims without a command are last.
  function openClaims() {
    const open = Object.entries(data.claims).filter(([, claim]) => claim.verdict === "open" || claim.verdict === "doubted");
    const order = ([, claim]) => (claim.command ? (claim.hours ?? 1e6) / Math.max(claim.chance ?? 0.5, 1e-6) : 1e12);
    open.sort((a, b) => order(a) - order(b));
    const rows = open.map(([id, claim]) => [
      link(`claim/${id}`, id), claim.headline || claim.statement,
      claim.words, claim.cause, worded(claim).deciding,
      claim.command && claim.hours !== null ? number(claim.hours, 1) : "–", claim.likely || "–",
    ]);
    const commands = open.filter(([, claim]) => claim.command);
    return [
      h("h1", {}, "The next look at open claims"),
      h("p", {}, `${app.plural(open.length, "claim")} ${open.length === 1 ? "is" : "are"} open or doubted, the cheapest answer first. Core-hours are hours of one processor core, for the trials of the next look. Its chance of an answer comes from resampled trials and decides nothing. The commands are below.`),
      open.length ? h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Open claims" }, table(["claim", "statement", "word", "cause", "next look", "core-hours", "answer"], rows, null, "stacked")) : null,
      commands.length ? h("details", {}, h("summary", {}, "The commands"), commands.map(([id, claim]) => [h("h3", {}, id), command(claim.command)])) : null,
      h("p", {}, "The same list, in a terminal:"), command("optimist claims --open"),
    ];
  }

  const drawn = () => Math.min(width(), 860);

  function readingView({ name, status, outcome, checks }, axes, size) {
    const order = ["fails", "violated", "differs", "open", "missing", "idle", "holds", "held", "matches", "reported"];
    const sorted = checks.slice().sort((a, b) => order.indexOf(a[C.outcome]) - order.indexOf(b[C.outcome]));
    const good = sorted.filter((check) => app.tone(check[C.outcome]) === "good");
    const folded = sorted.length > FOLDED ? good : [];
    const open = sorted.filter((check) => !folded.includes(check));
    const slack = checks.map((check) => check[C.slack]).filter((v) => v !== null && v !== "");
    return h("section", {},
      status === "ours"
        ? h("h2", {}, name ? `Beside it: ${name} ` : "Beside it ", h("span", { class: "quiet small" }, "our own checks, which count for nothing"))
        : h("h2", {}, name ? `Reading: ${name} ` : "Checks: ", h("span", { class: "quiet small" }, `${status} `), outcome ? app.verdict(outcome) : null),
      slack.length ? h("p", { class: "small quiet" }, `Slack, the bound over what was seen: ${number(Math.min(...slack))} at the least.`) : null,
      open.length ? app.checks(open, size, axes) : null,
      folded.length ? h("details", {}, h("summary", {}, `${folded.length} that hold`), app.checks(folded, size, axes)) : null);
  }

  function checkTable(about, id) {
    const head = ["reading", "check", "value", "interval", "bound", "n", "p, small if it holds", "p, small if it fails", "outcome", "remark"];
    const rows = about.checks.map((check) => [
      about.readings[check[0]][0] || "–", check[C.check], number(check[C.value], 4), [check[C.interval], check[C.method]].filter(Boolean).join("; "),
      app.wanted(check), check[C.n] ? app.plural(check[C.n], check[C.units].replace(/s$/, "")) : "",
      check[C.relation] && check[C.n] ? number(check[C.support], 2) : "", check[C.relation] && check[C.n] ? number(check[C.refute], 2) : "",
      check[C.outcome], [check[C.why], check[C.remark]].filter(Boolean).join("; "),
    ]);
    return h("div", {}, h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "All checks" }, table(head, rows)),
      h("p", {}, h("button", { type: "button", onclick: () => app.save(`${id}.csv`, "text/csv", csv([head, ...rows])) }, "CSV")));
  }

  // Parts of views.

  function table(head, rows, caption, kind, kinds = []) {
    return h("table", { class: kind || null }, caption ? h("caption", {}, caption) : null,
      h("thead", {}, h("tr", {}, head.map((name, i) => h("th", { scope: "col", class: kinds[i] || null }, name)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell, i) => h("td", { class: kinds[i] || null, "data-head": head[i] }, cell))))));
  }

  const csv = (rows) => rows.map((row) => row.map((cell) => (/[",\n]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : cell)).join(",")).join("\n") + "\n";

  function command(text) {
    const button = h("button", { type: "button", "aria-label": `Copy ${text}` }, "Copy");
    button.addEventListener("click", async () => {
      await copy(text);
      button.textContent = "Copied";
      app.announce("Copied");
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
    return h("div", { class: "command" }, h("pre", {}, text), button);
  }

  // In some browsers, local files have no access to the clipboard.
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch (error) {
      const box = h("textarea", {});
      box.value = text;
      document.body.append(box);
      box.select();
      document.execCommand("copy");
      box.remove();
    }
  }

  function select(key, name, value, choices, others, kind) {
    const box = h("select", { id: `c-${key}`, onchange: (event) => app.set({ [key]: event.target.value, ...others }) },
      choices.map(([choice, text]) => h("option", { value: choice, selected: choice === value }, text)));
    return h("label", { class: kind || null }, name, box);
  }

  function field(key, name, value) {
    return h("label", { class: "wide" }, name, h("input", { id: `c-${key}`, type: "search", value, oninput: (event) => app.set({ [key]: event.target.value }, true) }));
  }

  // Explorer.

  // Values that are reset when the setting changes.
  const AFRESH = { algs: "", at: "", from: "", to: "", base: "" };

  const cellsOf = (paperId, setting) => data.cells.filter((cell) => cell.paper === paperId && cell.setting === setting);

  function explore(parts, given) {
    const values = explorerState(given);
    const cells = cellsOf(values.paper, values.setting);
    const played = cells.filter((cell) => cell.curves || cell.finals.length);
    const shown = values.algs.map((label) => cells.find((cell) => cell.label === label)).filter(Boolean);
    const absent = values.algs.filter((label) => !cells.some((cell) => cell.label === label));
    const setting = data.settings[`${values.paper}/${values.setting}`];
    const chart = h("div", { class: "chart", id: "chart" });
    const below = h("div", { class: "split halves" });
    const view = [
      h("h1", {}, "Explore"),
      h("div", { class: "controls" },
        select("paper", "Paper", values.paper, Object.keys(data.papers).map((id) => [id, paperName(id)]), { setting: "", ...AFRESH }),
        settingSelect(values), lineSelect(values), bandSelect(values),
        select("axis", "Axis", values.axis, [["linear", "linear"], ["log", "logarithmic"], ["symlog", "symmetric log"]]),
        select("base", "Minus, paired", values.base, [["", "nothing"], ...played.map((cell) => [cell.label, nameOf(values.paper, cell.label)])])),
      h("p", { class: "small quiet" }, link(`setting/${values.paper}/${values.setting}`, setting.title), ` — ${aboutOf(setting)} `, `${setting.horizon.toLocaleString("en")} rounds.`),
      chips(values, played),
      absent.length ? h("p", { class: "small" }, absent.map((label) => `${label}: missing, not run in this setting`).join("; ")) : null,
      chart,
      app.problem() ? null : rangeControls(values, shown),
      app.problem() ? null : exportsOf(values, shown),
      leaderboard(values, cells),
      below,
    ];
    if (app.problem()) chart.append(h("p", { role: "note" }, `${app.problem()} The table below, claims, figures, methods and settings need no curves.`));
    else if (!app.isUnpacked()) chart.append(h("p", { class: "quiet" }, "Unpacking curves …"));
    else drawExplorer(values, shown, chart, below, cells);
    return view;
  }

  // The values in the address, with defaults for missing values.
  function explorerState(given) {
    const values = { line: "mean", band: "interval", axis: "linear", base: "", ...given };
    if (!data.papers[values.paper]) values.paper = values.paper ? app.nearest(values.paper, Object.keys(data.papers)) : Object.keys(data.papers)[0];
    const order = data.papers[values.paper].order;
    const panel = firstPanel(values.paper);
    if (!values.setting) values.setting = panel ? panel.setting : order[0];
    if (!order.includes(values.setting)) values.setting = app.nearest(values.setting, order);
    const cells = cellsOf(values.paper, values.setting).filter((cell) => cell.curves);
    const algs = values.algs ? values.algs.split(";") : [];
    const plain = cells.map((cell) => cell.label).filter((label) => base(label) === label);
    values.algs = algs.length ? algs : panel && panel.setting === values.setting ? panel.algorithms : plain.length ? plain : cells.map((cell) => cell.label);
    const rounds = cells.flatMap((cell) => data.grids[cell.curves.grid]);
    values.last = Math.max(1, ...rounds);
    values.from = Math.min(Math.max(Number(values.from) || 1, 1), values.last);
    values.to = Math.min(Math.max(Number(values.to) || values.last, values.from), values.last);
    values.at = Math.min(Math.max(Number(values.at) || values.to, values.from), values.to);
    if (!cells.some((cell) => cell.label === values.base)) values.base = "";
    return values;
  }

  function firstPanel(paperId) {
    const figures = Object.entries(data.figures).filter(([name]) => name.startsWith(`${paperId}/`));
    for (const [, figure] of figures) {
      const panel = figure.panels.find((one) => one.setting && cellsOf(paperId, one.setting).some((cell) => cell.curves));
      if (panel) return panel;
    }
    return null;
  }

  function settingSelect(values) {
    const known = data.papers[values.paper].order.filter((label) => label === values.setting || cellsOf(values.paper, label).some((cell) => cell.curves));
    const title = (label) => {
      const about = data.settings[`${values.paper}/${label}`];
      const options = label.includes("[") && !about.title.includes(",") ? ` [${label.split("[")[1]}` : "";
      return about.title + options;
    };
    return select("setting", "Setting", values.setting, known.map((label) => [label, title(label)]), AFRESH, "long");
  }

  const intervalName = (paperId) => {
    const { level, interval } = data.papers[paperId];
    return `${number(100 * level)} % ${interval === "t" ? "t" : interval} interval`;
  };

  const lineSelect = (values) => select("line", "Line", values.line, [["mean", "mean"], ["median", "median"]]);
  const bandSelect = (values) => select("band", "Band", values.band, values.base
    ? [["interval", "95 % t interval"], ["none", "none"]]
    : [["interval", `${intervalName(values.paper)} of the mean`], ["quartiles", "quartiles"], ["trials", "single trials"], ["none", "none"]], {}, "long");

  function toggled(values, label) {
    const rest = values.algs.filter((other) => other !== label);
    return rest.length === values.algs.length ? [...rest, label] : rest;
  }

  function chips(values, played) {
    const groups = new Map();
    for (const cell of played) {
      const name = base(cell.label);
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push(cell.label);
    }
    const order = Object.keys(data.papers[values.paper].names);
    const names = [...groups.keys()].sort((a, b) => order.indexOf(a) - order.indexOf(b));
    const chip = (label) => h("span", { class: "chip" },
      h("button", { type: "button", id: `chip-${label}`, "aria-pressed": String(values.algs.includes(label)), onclick: () => app.set({ algs: toggled(values, label).join(";") || "none" }) },
        app.swatch(lookOf(values.paper, label)), nameOf(values.paper, label)),
      h("button", { type: "button", id: `only-${label}`, "aria-label": `Only ${nameOf(values.paper, label)}`, onclick: () => app.set({ algs: label }) }, "only"));
    const variants = names.flatMap((name) => groups.get(name).filter((label) => label !== name));
    const on = variants.filter((label) => values.algs.includes(label)).length;
    return h("div", {},
      h("div", { class: "chips", role: "group", "aria-label": "Algorithms" }, names.filter((name) => groups.get(name).includes(name)).map(chip)),
      variants.length ? h("details", { open: on > 0 }, h("summary", {}, `${app.plural(variants.length, "variant")}, ${on} shown`),
        h("div", { class: "chips", role: "group", "aria-label": "Variants" }, variants.map(chip))) : null);
  }

  function rangeControls(values, shown) {
    const grid = shown.length && shown[0].curves ? data.grids[shown[0].curves.grid] : [1, values.last];
    const nearest = (t) => grid.reduce((best, round) => (Math.abs(round - t) < Math.abs(best - t) ? round : best), grid[0]);
    const set = (key) => (event) => app.set({ [key]: event.target.value }, key === "at");
    return h("div", { class: "controls" },
      h("label", {}, "From round", h("input", { id: "c-from", type: "number", min: 1, max: values.last, value: values.from, onchange: set("from") })),
      h("label", {}, "To round", h("input", { id: "c-to", type: "number", min: 1, max: values.last, value: values.to, onchange: set("to") })),
      h("label", { class: "wide" }, `Read at round ${nearest(values.at).toLocaleString("en")}`,
        h("input", { id: "c-at", type: "range", min: values.from, max: values.to, value: values.at, oninput: set("at") })));
  }

  const at = (curve, rounds, t) => {
    let best = 0;
    for (let i = 0; i < rounds.length; i++) if (Math.abs(rounds[i] - t) < Math.abs(rounds[best] - t)) best = i;
    return curve[best];
  };

  // The points of a cell, or their differences from the base's points, trial by trial.
  function pointsOf(cell, values) {
    const curves = app.curves(cell, "curves");
    if (!curves) return null;
    const inside = (t) => t >= values.from && t <= values.to;
    if (values.base) {
      const other = app.curves(cellsOf(values.paper, values.setting).find((c) => c.label === values.base), "curves");
      if (!other) return null;
      const n = Math.min(curves.trials.length, other.trials.length);
      const points = [];
      curves.rounds.forEach((t, i) => {
        const j = other.rounds.indexOf(t);
        if (j < 0 || !inside(t)) return;
        const differences = Array.from({ length: n }, (_, k) => curves.trials[k][i] - other.trials[k][j]);
        const { mean, low, high } = app.interval(differences);
        const banded = values.band !== "none";
        points.push({ x: t, y: values.line === "median" ? app.median(differences) : mean, low: banded ? low : null, high: banded ? high : null });
      });
      return { points, trials: [], n };
    }
    const line = curves[values.line];
    const [low, high] = { interval: [curves.low, curves.high], quartiles: [curves.lower, curves.upper] }[values.band] || [null, null];
    const banded = low && cell.finals.filter((v) => v !== null).length > 1;
    const points = curves.rounds.map((t, i) => ({ x: t, y: line[i], low: banded ? low[i] : null, high: banded ? high[i] : null })).filter((p) => inside(p.x));
    const trials = values.band === "trials" ? curves.trials.map((trial) => curves.rounds.map((t, i) => ({ x: t, y: trial[i] })).filter((p) => inside(p.x))) : [];
    return { points, trials, n: cell.finals.filter((v) => v !== null).length };
  }

  function seriesOf(values, shown) {
    const own = data.papers[values.paper].method;
    return shown.map((cell) => ({ cell, found: pointsOf(cell, values) })).filter(({ found }) => found && found.points.length)
      .map(({ cell, found }) => ({ name: nameOf(values.paper, cell.label), label: cell.label, look: lookOf(values.paper, cell.label), own: cell.label === own, ...found }));
  }

  function wordsOf(values, series) {
    const counts = series.map((one) => one.n);
    const [least, most] = [Math.min(...counts), Math.max(...counts)];
    const n = least === most ? `n\u00a0=\u00a0${least}` : `n\u00a0=\u00a0${least} to ${most}`;
    const band = { interval: values.base ? "95 % t interval of paired differences" : `${intervalName(values.paper)} of the mean`, quartiles: "quartiles", trials: "single trials, at most 40", none: "none" }[values.band];
    return { n, band };
  }

  function drawExplorer(values, shown, chart, below, cells) {
    const series = seriesOf(values, shown);
    const setting = data.settings[`${values.paper}/${values.setting}`];
    if (!series.length) {
      chart.replaceChildren(h("p", { class: "quiet" }, cells.some((cell) => cell.curves) ? "Nothing to draw: choose an algorithm that was run here." : "No trial of regret was played in this setting; the table has its times."));
      return;
    }
    const { n, band } = wordsOf(values, series);
    const sentence = `${values.line} regret${values.base ? ` minus the regret of ${nameOf(values.paper, values.base)}` : ""} in ${setting.title}, up to round ${values.to}: ` +
      series.map((one) => `${one.name} ${number(one.points[one.points.length - 1].y)}`).join(", ");
    chart.replaceChildren(
      app.drawCurves(series, {
        width: width(), axis: values.base && values.axis === "log" ? "symlog" : values.axis, at: values.at, zero: Boolean(values.base), sentence,
        xLabel: "round", yLabel: values.base ? "difference of regret" : `${values.line} regret`, domain: [values.from, values.to],
      }),
      h("p", { class: "axis-note" }, `band: ${band}, ${n}`, values.base ? ", of the trials whose curves are kept; the table below pairs all" : "", values.axis === "log" && !values.base ? "; values of zero are not on a logarithmic axis" : "",
        values.base && values.axis === "log" ? "; differences change sign: the axis is a symmetric logarithm" : ""));
    const timed = shown.filter((cell) => cell.times);
    const columns = [];
    const half = Math.max(280, Math.min(560, width() > 900 ? width() / 2 - 20 : width()));
    if (timed.length) columns.push(perRound(values, timed, half));
    const priced = shown.filter((cell) => cell.seconds.length && cell.mean.length);
    if (priced.length > 1) columns.push(tradeoff(values, priced, half));
    below.replaceChildren(...columns);
  }

  function perRound(values, timed, size) {
    const series = timed.map((cell) => {
      const { rounds, median } = app.curves(cell, "times");
      const points = rounds.slice(1).map((t, i) => ({ x: Math.sqrt(t * rounds[i]), y: (median[i + 1] - median[i]) / (t - rounds[i]) })).filter((p) => p.y > 0);
      return { name: nameOf(values.paper, cell.label), look: lookOf(values.paper, cell.label), points };
    }).filter((one) => one.points.length);
    return h("section", {}, h("h2", {}, "Time per round"), h("div", { class: "chart" },
      app.drawCurves(series, { width: size, axis: "log", xLog: true, xLabel: "round", yLabel: "seconds", sentence: "Seconds of a round against its number, median over turns" })),
      h("p", { class: "axis-note" }, "median over turns, on one thread, nothing else running"));
  }

  function tradeoff(values, priced, size) {
    const points = priced.map((cell) => ({
      name: nameOf(values.paper, cell.label), look: lookOf(values.paper, cell.label), x: cell.seconds[0], fast: cell.seconds[1], slow: cell.seconds[2],
      y: cell.mean[0], low: Math.max(cell.mean[1] ?? cell.mean[0], 0), high: cell.mean[2] ?? cell.mean[0],
    })).filter((p) => p.y > 0);
    if (points.length < 2) return null;
    return h("section", {}, h("h2", {}, "Regret against time"), h("div", { class: "chart" },
      app.drawTradeoff(points, { width: size, yLog: values.axis === "log", sentence: "Mean final regret against seconds per trial" })),
      h("p", { class: "axis-note" }, "whiskers: 95 % interval of the mean, fastest to slowest turn; dashed: none is better in both"));
  }

  // Leaderboard.

  function leaderboard(values, cells) {
    const ranks = app.ranks(cells);
    const other = cells.find((cell) => cell.label === values.base);
    const rows = cells.map((cell) => {
      const curves = app.curves(cell, "curves");
      const finals = cell.finals.filter((v) => v !== null);
      return {
        cell, rank: ranks.get(cell), name: nameOf(values.paper, cell.label), mean: cell.mean.length ? cell.mean[0] : null,
        median: app.median(cell.finals), n: finals.length, minus: other && cell !== other ? app.paired(cell.finals, other.finals) : null,
        seconds: cell.seconds.length ? cell.seconds[0] : null, at: curves ? at(curves[values.line], curves.rounds, values.at) : null,
      };
    });
    const columns = [
      ["rank", "rank", (r) => r.rank || "–", (r) => (r.rank ? parseInt(r.rank, 10) : Infinity), "num"],
      ["name", "algorithm", (r) => [app.swatch(lookOf(values.paper, r.cell.label)), " ", r.name, ...fault(r.cell)], (r) => r.name, ""],
      ["mean", "mean regret (95 %)", (r) => meanOf(r.cell), (r) => r.mean ?? Infinity, "num"],
      ["median", "median", (r) => number(r.median), (r) => r.median ?? Infinity, "num extra"],
      ["n", "n", (r) => r.n, (r) => r.n, "num named"],
      ["minus", other ? `minus ${nameOf(values.paper, values.base)}, paired (95 % t)` : "minus base", (r) => (r.minus && r.minus.n ? `${number(r.minus.mean)}${r.minus.low === null ? "" : ` (${number(r.minus.low)} to ${number(r.minus.high)})`}` : ""), (r) => (r.minus ? r.minus.mean : Infinity), "num named"],
      ["seconds", "seconds", (r) => number(r.seconds), (r) => r.seconds ?? Infinity, "num named"],
      ["at", `${values.line} at round ${values.at.toLocaleString("en")}`, (r) => number(r.at), (r) => r.at ?? Infinity, "num extra"],
    ].filter(([key]) => key !== "minus" || other);
    const [key, way] = (values.sort || "rank").split("-");
    const by = (columns.find(([name]) => name === key) || columns[0])[3];
    // Within a rank, the smaller mean comes first.
    rows.sort((a, b) => (a.mean ?? Infinity) - (b.mean ?? Infinity) || 0);
    rows.sort((a, b) => (by(a) < by(b) ? -1 : by(a) > by(b) ? 1 : 0) * (way === "down" ? -1 : 1));
    const head = columns.map(([name, title, , , kind]) => h("th", { scope: "col", class: kind || null, "aria-sort": name === key ? (way === "down" ? "descending" : "ascending") : "none" },
      h("button", { type: "button", id: `sort-${name}`, onclick: () => app.set({ sort: name === key && way !== "down" ? `${name}-down` : name }) }, title, name === key ? (way === "down" ? " ▾" : " ▴") : "")));
    const text = (row) => columns.map(([name, , show]) => (name === "name" ? row.name : show(row)));
    values.table = () => csv([columns.map(([, title]) => title), ...rows.map(text)]);
    return h("section", {}, h("h2", {}, "Leaderboard"),
      h("p", { class: "small quiet" }, shared(cells, ranks), " Ranks are those at the end, whatever round is read.",
        new Set(rows.filter((row) => row.n).map((row) => row.n)).size > 1 ? " Means are over as many trials as each was played (n), not the same for all: choose one under “Minus, paired” to compare it on common trials." : ""),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Leaderboard" },
        h("table", { class: "narrow" }, h("thead", {}, h("tr", {}, head)),
          h("tbody", {}, rows.map((row) => h("tr", {}, columns.map(([, title, show, , kind]) => h("td", { class: kind || null, "data-head": title }, show(row)))))))));
  }

  // The meaning of a rank, and the number of means without a rank.
  function shared(cells, ranks) {
    const few = cells.filter((cell) => cell.mean.length && !ranks.has(cell)).length;
    return "Algorithms share a rank where the paired 95 % interval of their difference to the best of them holds zero." +
      (few ? ` ${app.plural(few, "mean")} of fewer than ${app.fewest(cells)} trials ${few === 1 ? "has" : "have"} none.` : "");
  }

  const meanOf = ({ mean }) => (mean.length ? `${number(mean[0])}${mean[1] === null ? "" : ` (${number(mean[1])} to ${number(mean[2])})`}` : "–");

  function fault(cell) {
    const words = Object.entries(cell.statuses).map(([word, count]) => `${count} ${word}`);
    return words.length ? [h("span", { class: "small v-bad" }, ` ${words.join(", ")}`)] : [];
  }

  function exportsOf(values, shown) {
    const name = `${values.paper}-${values.setting}`.replace(/[^\w.-]+/g, "_");
    const lines = () => {
      const series = seriesOf(values, shown);
      const { n, band } = wordsOf(values, series);
      const setting = data.settings[`${values.paper}/${values.setting}`];
      const [made, ...others] = data.provenance.papers[values.paper];
      const code = `${codeOf(made)}${others.length ? " and others" : ""}`;
      return [`${paperName(values.paper)}: ${setting.title}`, `${values.line} regret, band: ${band}, ${n}; optimist (${code})`,
        ...(data.quick ? ["Shortened run: nothing here is a result"] : [])];
    };
    return h("div", { class: "row" },
      h("button", { type: "button", onclick: () => app.save(`${name}.csv`, "text/csv", curvesAsCsv(values, shown)) }, "Curves as CSV"),
      h("button", { type: "button", onclick: () => app.save(`${name}-table.csv`, "text/csv", values.table()) }, "Table as CSV"),
      h("button", { type: "button", onclick: () => app.save(`${name}.svg`, "image/svg+xml", app.asFile(document.querySelector("#chart svg"), lines())) }, "SVG"),
      h("button", { type: "button", onclick: async () => { await copy(location.href); app.announce("Link copied"); } }, "Copy link"));
  }

  function curvesAsCsv(values, shown) {
    const rows = [["setting", "algorithm", "round", values.line, "low", "high", "n"]];
    for (const one of seriesOf(values, shown)) {
      for (const p of one.points) rows.push([values.setting, one.label, p.x, number(p.y, 6), p.low === null ? "" : number(p.low, 6), p.high === null ? "" : number(p.high, 6), one.n]);
    }
    return csv(data.quick ? [["Shortened run: nothing here is a result"], ...rows] : rows);
  }

  // Methods and settings.

  function methods(parts, values) {
    const wanted = (text) => !values.q || text.toLowerCase().includes(values.q.toLowerCase());
    const own = Object.entries(data.methods).filter(([, m]) => wanted(`${m.title} ${m.sentence} ${m.reference}`));
    const settings = Object.entries(data.settings).filter(([id, s]) => wanted(`${id} ${s.title} ${s.about}`));
    return [
      h("h1", {}, "Methods and settings"),
      h("div", { class: "controls" }, field("q", "Words", values.q || "")),
      h("h2", {}, app.plural(own.length, "method")),
      h("ul", { class: "plain" }, own.map(([id, m]) => h("li", {}, h("p", {}, link(`method/${id}`, m.title), m.sentence.startsWith(`${m.title}:`) ? m.sentence.slice(m.title.length) : ` ${m.sentence}`, h("span", { class: "small quiet" }, ` ${m.reference}`))))),
      h("h2", {}, app.plural(settings.length, "setting")),
      Object.keys(data.papers).map((id) => {
        const those = settings.filter(([, s]) => s.paper === id);
        return those.length ? h("details", { open: Boolean(values.q) }, h("summary", {}, `${paperName(id)}: ${those.length}`),
          h("ul", {}, those.map(([key, s]) => h("li", {}, link(`setting/${key}`, s.title), h("span", { class: "small quiet" }, ` ${s.label}`))))) : null;
      }),
    ];
  }

  function method(parts) {
    const id = parts.join("/");
    const about = data.methods[id];
    const figures = Object.entries(data.figures).filter(([name, f]) => about.papers.includes(name.split("/")[0]) && f.panels.some((p) => p.algorithms.some((label) => base(label) === about.name)));
    return [
      h("p", { class: "small" }, link("methods", "‹ Methods and settings")),
      h("h1", {}, about.title),
      h("p", {}, about.sentence.startsWith(`${about.title}: `) ? capital(about.sentence.slice(about.title.length + 2)) : about.sentence),
      app.html("div", { class: "formula" }, about.text),
      h("dl", {},
        h("dt", {}, "Reference"), h("dd", {}, about.reference),
        h("dt", {}, "File"), h("dd", {}, h("code", {}, about.file)),
        h("dt", {}, "Compared in"), h("dd", {}, about.papers.flatMap((p, i) => [i ? ", " : "", link(`paper/${p}`, paperName(p))])),
        h("dt", {}, "Shown in"), h("dd", {}, figures.flatMap(([name, f], i) => [i ? ", " : "", h("a", { href: app.address(`paper/${name.split("/")[0]}`, { figure: name.split("/")[1] }) }, f.title)]))),
      about.options.length ? [h("h2", {}, "Options"), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Options" }, h("table", { class: "stacked told" },
        h("thead", {}, h("tr", {}, ["option", "default", "values", "meaning"].map((t) => h("th", { scope: "col" }, t)))),
        h("tbody", {}, about.options.map((o) => h("tr", {}, h("td", {}, h("code", {}, o.option)), h("td", { "data-head": "default" }, h("code", {}, o.default)), h("td", { "data-head": "values" }, o.values), o.meaning ? app.html("td", {}, o.meaning) : h("td", { class: "quiet" }, "see above"))))))] : null,
    ];
  }

  const capital = (text) => text[0].toUpperCase() + text.slice(1);
  const optionsOf = (label) => label.slice(base(label).length + 1, -1).split(",").filter(Boolean);

  // The description of a setting. A setting with options has the description of its base.
  function aboutOf(setting) {
    const options = optionsOf(setting.label).map((option) => option.replace("=", " = ").replaceAll("_", " "));
    const origin = (data.settings[`${setting.paper}/${base(setting.label)}`] || {}).title || base(setting.label);
    return options.length ? `${origin} with ${options.join(", ")}. ${origin} itself: ${setting.about}` : setting.about;
  }

  function setting(parts) {
    const id = parts.join("/");
    const about = data.settings[id];
    const cells = cellsOf(about.paper, about.label);
    const figures = Object.entries(data.figures).filter(([name, f]) => name.startsWith(`${about.paper}/`) && f.panels.some((p) => p.setting === about.label));
    return [
      h("p", { class: "small" }, link("methods", "‹ Methods and settings")),
      h("h1", {}, about.title),
      h("p", {}, aboutOf(about)),
      h("p", {}, h("a", { href: app.address("explore", { paper: about.paper, setting: about.label }) }, "Explore its curves")),
      h("dl", {},
        h("dt", {}, "Paper"), h("dd", {}, link(`paper/${about.paper}`, paperName(about.paper))),
        h("dt", {}, "Label"), h("dd", {}, h("code", {}, about.label)),
        h("dt", {}, "Rounds"), h("dd", {}, about.horizon.toLocaleString("en")),
        h("dt", {}, "Environment"), h("dd", {}, h("code", {}, about.environment)),
        h("dt", {}, "Trials"), h("dd", {}, Math.max(0, ...cells.map((c) => c.finals.length)) ? `${Math.max(...cells.map((c) => c.finals.length))} at most; trial k of every algorithm meets the same arms and rewards` : "none of regret; it was timed alone"),
        listed("Shown in", figures.map(([name, f]) => h("a", { href: app.address(`paper/${about.paper}`, { figure: name.split("/")[1] }) }, f.title)))),
      results(about, cells),
      h("h2", {}, "Parameters"),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Parameters" }, table(["parameter", "value"], Object.entries(about.parameters))),
      h("h2", {}, "One trial of it"),
      cells.length ? command(`optimist run "${about.paper}/${about.label}/${cells[0].label}" --trials 0:1`) : null,
    ];
  }

  // The results in a setting, the best first. The explorer can sort them by any column.
  function results(about, cells) {
    const ranks = app.ranks(cells);
    const place = (cell) => [parseInt(ranks.get(cell) || 1e6, 10), cell.mean.length ? cell.mean[0] : Infinity];
    const played = cells.filter((cell) => cell.finals.length).sort((a, b) => d3.ascending(place(a)[0], place(b)[0]) || d3.ascending(place(a)[1], place(b)[1]));
    if (!played.length) return null;
    const rows = played.map((cell) => [
      ranks.get(cell) || "–", h("span", {}, app.swatch(lookOf(about.paper, cell.label)), " ", nameOf(about.paper, cell.label), ...fault(cell)),
      meanOf(cell), cell.finals.filter((v) => v !== null).length, cell.seconds.length ? number(cell.seconds[0]) : "",
    ]);
    return [h("h2", {}, "Results"),
      h("p", { class: "small quiet" }, "Regret at the end. ", shared(cells, ranks)),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Results" }, table(["rank", "algorithm", "mean regret (95 %)", "trials", "seconds"], rows, null, "narrow", ["num", "", "num", "num named", "num named"]))];
  }

  // Provenance.

  function provenance() {
    const { papers, data: sources } = data.provenance;
    return [
      h("h1", {}, "Provenance"),
      h("p", {}, "What made the numbers, on what data, and how to make them again."),
      Object.entries(papers).map(([id, made]) => [
        h("h2", {}, paperName(id)),
        h("ul", {}, made.map((one) => h("li", {}, `${one.cells.toLocaleString("en")} cells and studies: ${codeOf(one)}; ${one.words}`))),
        h("details", {}, h("summary", {}, "Files of this page, with SHA-256"), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Files of ${id}` },
          table(["file", "SHA-256"], Object.entries(data.papers[id].files).map(([file, digest]) => [h("code", {}, file), h("code", {}, digest)])))),
      ]),
      h("h2", {}, "Data"),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Data" }, table(["data set", "version", "licence", "DOI", "SHA-256 of the content"],
        sources.map((s) => [s.name, s.version, s.licence, s.doi, h("code", {}, s.content_sha256)]))),
      h("h2", {}, "Make it again"),
      h("p", {}, "This page, from the committed tables:"), command("make page"),
      h("p", {}, "Everything, from the data on:"), command("make reproduce"),
      h("h2", {}, "Licences"),
      h("p", {}, "The page draws with D3 7.9.0 and Observable Plot 0.6.17, both by Observable, Inc. and Mike Bostock, under the ISC licence. Everything else is under the licence of the project."),
    ];
  }

  // A plus after a commit marks changes that were not committed.
  function codeOf({ commit }) {
    if (!commit) return "no commit";
    return `commit ${commit.slice(0, 10)}${commit.endsWith("+") ? ", with changes" : ""}`;
  }

  // The view that each address shows, and the names that it accepts.

  const VIEWS = {
    "": [home, null],
    paper: [paper, () => Object.keys(data.papers)],
    claim: [claim, () => Object.keys(data.claims)],
    explore: [explore, null],
    methods: [methods, null],
    method: [method, () => Object.keys(data.methods)],
    setting: [setting, () => Object.keys(data.settings)],
    provenance: [provenance, null],
    open: [openClaims, null],
  };

  function unknown(kind, id, known) {
    const nearest = app.nearest(id, known);
    return [h("h1", {}, `There is no ${kind || "page"} ${id}`), h("p", {}, "The nearest is ", kind ? link(`${kind}/${nearest}`, nearest) : link(nearest || "", nearest || "home"), ".")];
  }

  let shown = "";

  app.show = function () {
    const { parts, values } = app.place();
    const [kind, ...rest] = [parts[0] || "", ...parts.slice(1)];
    const focused = document.activeElement && document.activeElement.id;
    const caret = focused && document.activeElement.type === "search" ? document.activeElement.selectionStart : null;
    let view;
    if (!VIEWS[kind]) view = unknown("", kind, Object.keys(VIEWS));
    else {
      const [draw, known] = VIEWS[kind];
      const id = rest.join("/");
      view = known && !known().includes(id) ? unknown(kind, id, known()) : draw(rest, values);
    }
    main.replaceChildren(...[view].flat(Infinity).filter(Boolean));
    for (const anchor of document.querySelectorAll("#nav a")) {
      const own = anchor.getAttribute("href") === app.address(kind === "paper" ? `paper/${rest[0]}` : kind);
      if (own) anchor.setAttribute("aria-current", "page");
      else anchor.removeAttribute("aria-current");
    }
    const title = main.querySelector("h1").textContent;
    document.title = `${title} – optimist`;
    const place = parts.join("/");
    if (place === shown) {
      const again = focused && document.getElementById(focused);
      if (again && again !== document.activeElement) again.focus({ preventScroll: true });
      if (again && caret !== null) again.setSelectionRange(caret, caret);
    } else {
      if (shown !== "") app.announce(title);
      window.scrollTo(0, 0);
    }
    shown = place;
    const figure = values.figure && document.getElementById(`figure-${values.figure}`);
    if (kind === "paper" && figure && !focused) figure.scrollIntoView();
  };

  app.start();
  app.show();
  document.documentElement.dataset.ready = "shown";
  performance.mark("shown");
  app.unpack().then(() => {
    if (app.place().parts[0] === "explore") app.show();
    document.documentElement.dataset.ready = app.isUnpacked() ? "unpacked" : "without curves";
    performance.mark("unpacked");
  });
  let size = main.clientWidth;
  window.addEventListener("resize", () => {
    if (Math.abs(main.clientWidth - size) < 20) return;
    size = main.clientWidth;
    app.show();
  });
})();

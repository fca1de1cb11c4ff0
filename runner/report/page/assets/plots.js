// The plots, each drawn when it comes into view; plotly.min.js is loaded for the first of them.
"use strict";

(() => {
  const { get, script, el, address, number, share, tokens } = thinkmeter;
  const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "cross", "x", "star"];
  const study = () => get("study");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const series = (place) => colour(`k${place % 7}`);
  const plain = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;"); // plotly reads some tags

  function layout(more) {
    const axis = { gridcolor: colour("line"), linecolor: colour("line"), zeroline: false, automargin: true, ticks: "outside", tickcolor: colour("line") };
    const base = {
      paper_bgcolor: "transparent", plot_bgcolor: "transparent",
      font: { family: getComputedStyle(document.body).fontFamily, size: 13, color: colour("quiet") },
      margin: { l: 56, r: 16, t: 8, b: 48 },
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0, font: { color: colour("ink") } },
      hoverlabel: { bgcolor: colour("panel"), bordercolor: colour("line"), font: { color: colour("ink") }, align: "left" },
      hovermode: "closest",
    };
    return { ...base, ...more, xaxis: { ...axis, ...more.xaxis }, yaxis: { ...axis, ...more.yaxis } };
  }

  const config = { displaylogo: false, responsive: true, modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"], displayModeBar: "hover" };

  function groups(factor) {
    const found = new Map();
    study().runs.forEach((run, place) => {
      if (run.accuracy === null || run.output_tokens === null) return;
      const name = run.choices[factor];
      if (!found.has(name)) found.set(name, []);
      found.get(name).push(place);
    });
    return found;
  }

  function scatter(node) {
    const runs = study().runs;
    const basis = document.getElementById("basis").value;
    const log = document.getElementById("scale").value === "log";
    const at = (place) => log ? Math.max(runs[place][basis], 1) : runs[place][basis];
    const ends = (place, name) => { const end = runs[place][name]; return end === null ? 0 : Math.abs(end - runs[place].accuracy); };
    const front = runs.map((_, place) => place).filter((place) => runs[place].on_front).sort((a, b) => at(a) - at(b));
    const traces = basis === "output_tokens" ? [{
      x: front.map(at), y: front.map((place) => runs[place].accuracy), mode: "lines", name: "Pareto front",
      line: { color: colour("quiet"), width: 1, dash: "dot", shape: "hv" }, hoverinfo: "skip",
    }] : [];
    [...groups(document.getElementById("colour").value)].forEach(([name, places], number_) => traces.push({
      x: places.map(at), y: places.map((place) => runs[place].accuracy), customdata: places, name: plain(name), mode: "markers",
      marker: { color: series(number_), symbol: SYMBOLS[Math.floor(number_ / 7) % 7], size: 10, line: { width: 1, color: colour("paper") } },
      error_y: { type: "data", symmetric: false, array: places.map((p) => ends(p, "accuracy_high")), arrayminus: places.map((p) => ends(p, "accuracy_low")), color: series(number_), thickness: 1, width: 0 },
      text: places.map((place) => `<b>${plain(runs[place].label)}</b><br>accuracy ${share(runs[place].accuracy)} (${share(runs[place].accuracy_low)}–${share(runs[place].accuracy_high)})<br>thinking ${tokens(runs[place].thinking_tokens)}, output ${tokens(runs[place].output_tokens)}<br>O ${share(runs[place].overthinking)}`),
      hovertemplate: "%{text}<extra></extra>",
    }));
    const printed = runs.map((_, place) => place).filter((place) => runs[place].published_accuracy !== null);
    if (printed.length && basis === "output_tokens") traces.push({
      x: printed.map((place) => runs[place].published_output_tokens), y: printed.map((place) => runs[place].published_accuracy), mode: "markers", name: "published",
      marker: { symbol: "diamond-open", size: 10, color: colour("quiet") }, text: printed.map((place) => plain(runs[place].label)), hovertemplate: "published for %{text}<extra></extra>",
    });
    Plotly.react(node, traces, layout({
      xaxis: { title: { text: basis === "output_tokens" ? "mean output tokens" : "mean thinking tokens" }, type: log ? "log" : "linear" },
      yaxis: { title: { text: "accuracy" } },
      showlegend: true,
    }), config);
    if (!node.dataset.heard) {
      node.dataset.heard = "yes";
      node.on("plotly_click", (event) => { if (event.points[0].customdata !== undefined) location.hash = address("samples", { run: event.points[0].customdata }); });
    }
  }

  function budgets(node) {
    const traces = [];
    study().budgets.forEach((curve, place) => {
      const tints = { color: series(place) };
      const largest = Math.max(...curve.points.map((point) => point.budget));
      const smallest = Math.min(...curve.points.map((point) => point.budget));
      if (curve.tau !== null) {
        const x = Array.from({ length: 90 }, (_, step) => smallest * (largest / smallest) ** (step / 89));
        traces.push({ x, y: x.map((b) => curve.a_max * (1 - Math.exp(-b / curve.tau))), mode: "lines", line: { ...tints, width: 1.5 }, name: plain(curve.label), legendgroup: place, showlegend: false, hoverinfo: "skip" });
      }
      traces.push({
        x: curve.points.map((point) => point.budget), y: curve.points.map((point) => point.accuracy), mode: "markers", name: plain(curve.label), legendgroup: place,
        marker: { ...tints, size: 9, symbol: curve.points.map((point) => point.capped ? "circle" : "circle-open"), line: { width: 2, ...tints } },
        customdata: curve.points.map((point) => point.run), text: curve.points.map((point) => point.capped ? `budget ${number(point.budget)}` : `no cap, longest ${number(point.budget)}`),
        hovertemplate: "%{text}<br>accuracy %{y:.3f}<extra></extra>",
      });
    });
    Plotly.react(node, traces, layout({ xaxis: { title: { text: "budget, tokens" }, type: "log" }, yaxis: { title: { text: "accuracy" }, rangemode: "tozero" }, showlegend: true }), config);
    if (!node.dataset.heard) {
      node.dataset.heard = "yes";
      node.on("plotly_click", (event) => { const run = event.points[0].customdata; if (run !== null && run !== undefined) location.hash = address("samples", { run }); });
    }
  }

  function fits() {
    const range = (ends, write) => ends === null ? "–" : `${write(ends[0])}–${write(ends[1])}`;
    for (const curve of study().budgets) {
      document.getElementById("fits").append(el("h3", {}, curve.label), el("p", { class: "note" },
        `A_max ${share(curve.a_max)} (${range(curve.a_max_interval, share)}), τ ${curve.tau === null ? "not bounded by these budgets" : `${number(curve.tau)} tokens (${range(curve.tau_interval, number)})`}; root mean square of the residuals ${share(curve.rmse)}, ${number(curve.problems)} problems`),
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Budgets of ${curve.label}` }, el("table", {},
        el("thead", {}, el("tr", {}, ...["budget", "accuracy", "residual"].map((name) => el("th", { scope: "col", class: "num" }, name)))),
        el("tbody", {}, curve.points.map((point) => el("tr", {},
          el("td", { class: "num" }, point.capped ? number(point.budget) : `none (longest ${number(point.budget)})`),
          el("td", { class: "num" }, point.run === null ? share(point.accuracy) : el("a", { href: address("samples", { run: point.run }) }, share(point.accuracy))),
          el("td", { class: "num quiet" }, (point.residual < 0 ? "−" : "+") + share(Math.abs(point.residual)))))))));
    }
  }

  function optimal(node) {
    const traces = study().optimal.map((curve, place) => ({
      x: curve.t, y: curve.oaa, mode: "lines", name: plain(curve.label), line: { color: series(place), width: 2, shape: "hv" },
      hovertemplate: "right with fewer than %{x} thinking tokens: %{y:.1%}<extra></extra>",
    }));
    Plotly.react(node, traces, layout({ xaxis: { title: { text: "t, thinking tokens" } }, yaxis: { title: { text: "OAA_t" }, rangemode: "tozero" }, showlegend: true }), config);
  }

  const chosen = new Set();

  function lengths(node) {
    const { edges, runs } = study().lengths;
    const middles = edges.slice(1).map((edge, place) => Math.sqrt(edge * edges[place]));
    const widths = edges.slice(1).map((edge, place) => (edge - edges[place]) * 0.92);
    const traces = [];
    [...chosen].sort((a, b) => a - b).forEach((place, number_) => {
      const run = runs[place];
      const style = { x: middles, width: widths, type: "bar", name: plain(study().runs[place].label), legendgroup: place, customdata: middles.map((_, bin) => [Math.ceil(edges[bin]), Math.floor(edges[bin + 1])]) };
      const of = (counts) => counts.map((count) => run.n ? count / run.n : 0);
      traces.push({ ...style, y: of(run.whole), marker: { color: series(number_), opacity: 0.55 }, hovertemplate: "%{customdata[0]}–%{customdata[1]} tokens: %{y:.1%}<extra></extra>" });
      if (run.cut) traces.push({ ...style, y: of(run.hidden), base: of(run.whole), showlegend: false, marker: { color: "transparent", line: { color: series(number_), width: 1.5 } }, hovertemplate: "cut here, truly longer: %{y:.1%}<extra></extra>" });
    });
    Plotly.react(node, traces, layout({ barmode: "overlay", xaxis: { title: { text: "output tokens" }, type: "log" }, yaxis: { title: { text: "share of samples" }, tickformat: ".0%" }, showlegend: true }), config);
  }

  function strips() {
    const { edges, runs } = study().lengths;
    const top = Math.log(edges[edges.length - 1]);
    const left = (value) => `${100 * Math.log(Math.max(value, 1)) / top}%`;
    const span = (from, to) => `left:${left(from)};width:calc(${left(to)} - ${left(from)})`;
    const body = document.querySelector("#strips tbody");
    const first = study().runs.map((_, place) => place).filter((place) => runs[place].n);
    for (const place of new Set([first[0], first[first.length - 1]])) if (place !== undefined) chosen.add(place);
    runs.forEach((run, place) => {
      const [low, lower, median, upper, high] = run.quantiles;
      const tick = el("input", { type: "checkbox", checked: chosen.has(place), "aria-label": `Show the distribution of ${study().runs[place].label}` });
      tick.onchange = () => { if (tick.checked) chosen.add(place); else chosen.delete(place); redraw("lengths"); };
      body.append(el("tr", {},
        el("th", { scope: "row" }, tick, " ", el("a", { href: address("samples", { run: place }) }, study().runs[place].label)),
        el("td", { class: "num" }, (run.open[2] ? "> " : "") + number(median)),
        el("td", { class: "num" }, (run.open[4] ? "> " : "") + number(high)),
        el("td", { class: "num" }, run.cut ? el("a", { href: address("samples", { run: place, status: "truncated" }) }, number(run.cut)) : "0"),
        el("td", {}, median === null ? "" : el("span", { class: "strip", "aria-hidden": "true" }, el("i", { style: span(low, high) }), el("u", { style: span(lower, upper) }), el("b", { style: `left:${left(median)}` })))));
    });
  }

  const drawn = new Map([["scatter", scatter], ["budgets", budgets], ["optimal", optimal], ["lengths", lengths]]);
  const seen = new Set();
  const nodeOf = (name) => document.querySelector(`[data-plot="${name}"]`);

  async function redraw(name) {
    if (!seen.has(name)) return;
    await script("plotly.min.js");
    drawn.get(name)(nodeOf(name));
  }

  function start() {
    const choice = document.getElementById("colour");
    const { factors } = study();
    for (const name of factors) choice.append(el("option", { value: name }, name));
    choice.value = factors.find((name) => { const size = groups(name).size; return size > 1 && size < 8; }) ?? factors[0];
    for (const name of ["colour", "basis", "scale"]) document.getElementById(name).onchange = () => redraw("scatter");
    fits();
    strips();
    const watch = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        watch.unobserve(entry.target);
        seen.add(entry.target.dataset.plot);
        redraw(entry.target.dataset.plot);
      }
    }, { rootMargin: "300px" });
    for (const name of drawn.keys()) if (nodeOf(name)) watch.observe(nodeOf(name));
    document.addEventListener("theme", () => { for (const name of seen) redraw(name); });
  }
  document.addEventListener("DOMContentLoaded", start);
})();

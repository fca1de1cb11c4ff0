// Samples of a run as a list, and one sample with its texts, alone or beside another run's on the same problem.
"use strict";

(() => {
  const { get, load, el, address, here, views, number, share } = thinkmeter;
  const PAGE = 100;
  const MARKS = [
    ["wrong step", "m-wrong"], ["error", "m-error"], ["first correct answer", "m-first"], ["redundant_verification", "m-redundant"], ["self_contradiction", "m-contradiction"],
    ["irrelevant_exploration", "m-irrelevant"], ["stopping_failure", "m-stopping"], ["helpful_decomposition", "m-helpful"],
  ];
  const FILTERS = ["task", "outcome", "status", "rule", "reason", "error", "pattern", "size", "flipped"];
  const study = () => get("study");

  // Return the samples of a run as functions of their places.
  async function samplesOf(run) {
    const data = await load(`samples-${run}`);
    if (!data) throw new Error(`there is no run ${run}`);
    const of = (name, place) => {
      const column = data[name];
      if (column === undefined) return undefined;
      if (Array.isArray(column)) return column[place];
      const found = column.places[place];
      return found === null ? null : column.values[found];
    };
    const key = (place) => `${data.problem_id[place]}/${data.repeat[place]}`;
    return { size: data.problem_id.length, of, key, values: (name) => data[name]?.values ?? [], places: () => new Map(data.problem_id.map((_, place) => [key(place), place])) };
  }

  const outcome = (samples, place) => samples.of("status", place) === "error" ? "error" : samples.of("outcome", place) ?? "ungraded";
  const holds = (found, wanted) => Array.isArray(found) ? found.includes(wanted) : found === wanted;

  function matching(samples, query, other) {
    const others = other?.places();
    const found = [];
    for (let place = 0; place < samples.size; place += 1) {
      const fits = FILTERS.every((name) => {
        if (!query[name]) return true;
        if (name === "outcome") return outcome(samples, place) === query.outcome;
        if (name !== "flipped") return holds(samples.of(name, place), query[name]);
        const twin = others?.get(samples.key(place));
        return twin !== undefined && outcome(samples, place) !== outcome(other, twin) && [outcome(samples, place), outcome(other, twin)].includes("correct");
      });
      if (fits) found.push(place);
    }
    return found;
  }

  const verdict = (name) => el("span", { class: `outcome ${name}` }, name);
  const option = (value, label, chosen) => el("option", { value, selected: value === chosen }, label);

  function chooser(label, name, values, query, view, labels = values) {
    return el("label", {}, `${label} `, el("select", { "data-filter": name, onchange: (event) => { location.hash = address(view, { ...query, [name]: event.target.value, page: null }); } },
      option("", name === "beside" ? "nothing" : "all", query[name] ?? ""), values.map((value, place) => option(String(value), labels[place], query[name]))));
  }

  const labels = () => study().runs.map((run) => run.label);
  const numbers = () => study().runs.map((_, place) => String(place));

  views.set("samples", async (main, query) => {
    const run = study().runs[query.run];
    if (!run) throw new Error(`there is no run ${query.run}`);
    const samples = await samplesOf(query.run);
    const other = query.beside ? await samplesOf(query.beside) : null;
    const twins = other?.places();
    const found = matching(samples, query, other);
    const page = Number(query.page ?? 0);
    document.title = `${run.label} · samples`;
    const heads = ["outcome", "task", "problem", "answer", "gold", "rule", "thinking", "output", ...(other ? ["there"] : [])];
    const link = (place) => address("trace", { ...query, page: null, sample: samples.key(place) });
    const rows = found.slice(page * PAGE, (page + 1) * PAGE).map((place) => {
      const twin = twins?.get(samples.key(place));
      const cell = (text, kind) => el("td", { class: kind, title: kind === "clip" ? text : null }, text ?? "–");
      return el("tr", {},
        el("th", { scope: "row" }, el("a", { href: link(place) }, verdict(outcome(samples, place)))),
        cell(samples.of("task", place).replaceAll("_", " ")), cell(samples.key(place), "clip quiet"),
        cell(samples.of("answer", place) ?? samples.of("reason", place), "clip"), cell(samples.of("gold", place), "clip"), cell(samples.of("rule", place), "quiet"),
        cell(number(samples.of("thinking_tokens", place)), "num"), cell(number(samples.of("output_tokens", place)), "num"),
        other && el("td", {}, twin === undefined ? "not asked" : el("a", { href: link(place) }, verdict(outcome(other, twin)), ` · ${number(other.of("output_tokens", twin))}`)));
    });
    main.replaceChildren(
      el("h1", {}, run.label),
      el("p", { class: "note" }, `Accuracy ${share(run.accuracy)} over tasks. ${number(run.samples)} samples, ${number(run.texts)} of them with their text in this report. `, el("code", {}, `python -m runner show ${run.folder} SAMPLE`), " shows any of them."),
      el("div", { class: "tools" },
        chooser("Run", "run", numbers(), query, "samples", labels()),
        chooser("Task", "task", samples.values("task"), query, "samples"),
        samples.values("size").length > 1 && chooser("Size", "size", [...samples.values("size")].sort((a, b) => a - b), query, "samples"),
        chooser("Outcome", "outcome", ["correct", "incorrect", "unparsed", "ungraded", "error"], query, "samples"),
        chooser("Status", "status", samples.values("status"), query, "samples"),
        samples.values("error").length > 0 && chooser("Error", "error", samples.values("error"), query, "samples"),
        chooser("Pattern", "pattern", MARKS.slice(3).map(([kind]) => kind), query, "samples"),
        chooser("Beside", "beside", numbers(), query, "samples", labels()),
        other && el("label", {}, el("input", { type: "checkbox", checked: Boolean(query.flipped), onchange: (event) => { location.hash = address("samples", { ...query, flipped: event.target.checked ? 1 : null, page: null }); } }), " only flipped"),
        el("span", { class: "count", role: "status" }, `${number(found.length)} samples`)),
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Samples, scrolls sideways" }, el("table", { id: "list" },
        el("thead", {}, el("tr", {}, heads.map((name) => el("th", { scope: "col", class: ["thinking", "output"].includes(name) ? "num" : null }, name)))), el("tbody", {}, rows))),
      el("div", { class: "pager" },
        el("button", { type: "button", disabled: page === 0, onclick: () => { location.hash = address("samples", { ...query, page: page - 1 }); } }, "Previous"),
        `${found.length ? page * PAGE + 1 : 0}–${Math.min(found.length, (page + 1) * PAGE)} of ${number(found.length)}`,
        el("button", { type: "button", disabled: (page + 1) * PAGE >= found.length, onclick: () => { location.hash = address("samples", { ...query, page: page + 1 }); } }, "Next")));
    main.querySelector('[data-filter="run"] option').remove();
  });

  // Cut a text at the ends of all spans; a piece in several spans gets the class of the first.
  function marked(text, spans) {
    const ends = [...new Set([0, text.length, ...spans.flatMap(([from, to]) => [from, to])])].filter((end) => end >= 0 && end <= text.length).sort((a, b) => a - b);
    return ends.slice(1).map((end, place) => {
      const start = ends[place];
      const over = spans.filter(([from, to]) => from <= start && to >= end);
      const piece = text.slice(start, end);
      if (!over.length) return piece;
      const name = MARKS.find(([kind]) => over[0][2].startsWith(kind))?.[1];
      return el("mark", { class: name, title: over.map(([, , kind, note]) => `${kind.replaceAll("_", " ")}: ${note}`).join("\n") }, piece);
    });
  }

  const fact = (name, ...value) => [el("dt", {}, name), el("dd", {}, ...value)];

  function block(title, note, text, spans, open, kind) {
    return el("details", { class: "block", open }, el("summary", {}, title, " ", el("span", { class: "quiet" }, note)), el("pre", { class: `text ${kind}`, tabindex: "0" }, ...(text ? marked(text, spans) : [el("span", { class: "quiet" }, "nothing")])));
  }

  async function article(run, key) {
    const samples = await samplesOf(run);
    const place = samples.places().get(key);
    const title = el("h2", {}, el("a", { href: address("samples", { run }) }, study().runs[run].label));
    if (place === undefined) return { node: el("article", {}, title, el("p", {}, "This run was not asked this problem.")), kinds: [] };
    const of = (name) => samples.of(name, place);
    const chunk = of("chunk");
    const text = chunk === null ? null : (await load(`texts-${run}-${chunk}`))?.[key];
    const facts = el("dl", { class: "facts" },
      fact("verdict", verdict(outcome(samples, place)), of("reason") ? `, ${of("reason")}` : ""),
      fact("answer read", of("answer") ?? "–", of("rule") ? el("span", { class: "quiet" }, ` by rule ${of("rule")}`) : ""),
      fact("right answer", of("gold") ?? "–"),
      fact("tokens", `${number(of("thinking_tokens"))} thinking, ${number(of("answer_tokens"))} answer, ${number(of("output_tokens"))} output`, of("injected_tokens") ? `, ${number(of("injected_tokens"))} injected` : "", el("span", { class: "quiet" }, ` counted by ${of("usage_source")}`)),
      fact("end", of("failure_kind") ? `${of("failure_kind")}: ${text?.failure ?? ""}` : `${of("status")}, ${of("finish_reason")}`, of("max_tokens") ? el("span", { class: "quiet" }, `, cap ${number(of("max_tokens"))}${of("budget_hit") ? ", budget acted" : ""}`) : ""),
      text?.marks?.error ? fact("kind of error", `${text.marks.error.kind}`, el("span", { class: "quiet" }, ` by rule ${text.marks.error.rule}`)) : [],
      text?.derived_from?.length ? fact("text from", text.derived_from.join(", ")) : []);
    if (!text) return { node: el("article", {}, title, facts, el("p", { class: "note" }, "The text of this sample is not in this report. ", el("code", {}, `python -m runner show ${study().runs[run].folder} ${key}`), " shows it.")), kinds: [] };
    const found = text.marks ?? { thinking: [], answer: [] };
    const marks = { thinking: [...found.thinking, ...(text.first ?? [])], answer: found.answer };
    const note = text.marks ? "" : ", not searched for patterns";
    const node = el("article", {}, title, facts,
      text.turns.map((turn) => block(turn.kind, "", turn.text, [], false, "turn")),
      block("Thinking", `${number(of("thinking_tokens"))} tokens, ${of("thinking_state") ?? "absent"}${note}`, text.thinking, marks.thinking, true, "thinking"),
      block("Answer", `${number(of("answer_tokens"))} tokens`, text.answer, marks.answer, true, "answer"));
    return { node, question: text.question, kinds: [...marks.thinking, ...marks.answer].map((span) => span[2]) };
  }

  views.set("trace", async (main, query) => {
    if (!study().runs[query.run]) throw new Error(`there is no run ${query.run}`);
    const samples = await samplesOf(query.run);
    const list = matching(samples, query, query.beside ? await samplesOf(query.beside) : null);
    const at = list.findIndex((place) => samples.key(place) === query.sample);
    const shown = await Promise.all([query.run, ...(query.beside ? [query.beside] : [])].map((run) => article(run, query.sample)));
    document.title = `${query.sample} · ${study().runs[query.run].label}`;
    const go = (step) => list[at + step] === undefined || at < 0 ? null : address("trace", { ...query, sample: samples.key(list[at + step]) });
    const step = (name, to) => to === null ? el("button", { type: "button", disabled: true }, name) : el("button", { type: "button", id: name.toLowerCase(), onclick: () => { location.hash = to; } }, name);
    const kinds = new Set(shown.flatMap(({ kinds: found }) => found));
    const legend = MARKS.filter(([kind]) => [...kinds].some((found) => found.startsWith(kind)));
    const question = shown.find(({ question: asked }) => asked)?.question;
    main.replaceChildren(
      el("h1", {}, query.sample),
      el("div", { class: "tools" },
        el("a", { href: address("samples", { ...query, sample: null }) }, "← samples"), step("Previous", go(-1)), step("Next", go(1)),
        el("span", {}, at < 0 ? "" : `${number(at + 1)} of ${number(list.length)}`),
        chooser("Beside", "beside", numbers().filter((run) => run !== String(query.run)), query, "trace", numbers().filter((run) => run !== String(query.run)).map((run) => study().runs[run].label)),
        el("span", { class: "count keys" }, el("kbd", {}, "j"), " next ", el("kbd", {}, "k"), " previous ", el("kbd", {}, "Esc"), " list")),
      question ? el("pre", { class: "text question" }, question) : "",
      legend.length ? el("ul", { class: "legend marks" }, legend.map(([kind, name]) => el("li", {}, el("mark", { class: name }, kind.replaceAll("_", " "))))) : "",
      el("div", { class: "columns" }, shown.map(({ node }) => node)));
  });

  document.addEventListener("keydown", (event) => {
    const { view, query } = here();
    if (view !== "trace" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("select, input")) return;
    if (event.key === "j") document.getElementById("next")?.click();
    else if (event.key === "k") document.getElementById("previous")?.click();
    else if (event.key === "Escape") location.hash = address("samples", { ...query, sample: null });
  });
})();

// What the other scripts share: data that comes as script files, elements, the theme and the addresses behind #.
"use strict";

const thinkmeter = (() => {
  const data = new Map(); // name -> value
  const loading = new Map(); // name -> promise

  // Called by every data file.
  function put(name, value) {
    data.set(name, value);
  }

  const get = (name) => data.get(name);

  // Load a script file once; a page opened from a disk may not read its neighbours in any other way.
  function script(path) {
    if (!loading.has(path)) {
      loading.set(path, new Promise((resolve, reject) => {
        const tag = document.createElement("script");
        tag.src = path;
        tag.onload = () => resolve();
        tag.onerror = () => { loading.delete(path); reject(new Error(`${path} is missing beside this page`)); };
        document.head.append(tag);
      }));
    }
    return loading.get(path);
  }

  // Return the value of a data file. A name may come from the address, which must not lead out of the folder.
  async function load(name) {
    if (!/^[a-z0-9-]+$/.test(name)) throw new Error(`there is no data ${name}`);
    if (!data.has(name)) await script(`data/${name}.js`);
    return data.get(name);
  }

  // Make an element. Texts become text nodes, so what a model wrote is never read as HTML.
  function el(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
    return made;
  }

  const address = (view, query) => {
    const kept = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
    return `#/${view}${kept.length ? "?" + new URLSearchParams(kept) : ""}`;
  };

  function here() {
    const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
    return { view: path || "report", query: Object.fromEntries(new URLSearchParams(query || "")) };
  }

  const views = new Map(); // name -> function that fills the view

  async function route() {
    const { view, query } = here();
    const shown = views.has(view) ? view : "report";
    for (const main of document.querySelectorAll("main")) {
      main.hidden = main.id !== shown;
      if (main.hidden && views.has(main.id)) main.replaceChildren();
    }
    const main = document.getElementById(shown);
    if (shown === "report") {
      const section = view !== "report" && document.getElementById(view);
      if (section) section.scrollIntoView();
      document.title = `${get("study").title} · report`;
      return;
    }
    // A view that waits for its data draws into an element of its own, which the next address takes off the page.
    const drawn = el("div", { class: "view" });
    main.replaceChildren(drawn);
    try {
      await views.get(view)(drawn, query);
    } catch (error) {
      drawn.replaceChildren(el("h1", {}, "This can't be shown"), el("p", {}, error.message));
    }
    if (!drawn.isConnected) return;
    window.scrollTo({ top: 0, behavior: "instant" });
    main.focus({ preventScroll: true });
  }

  const number = (value, digits = 0) => value === null || value === undefined ? "–"
    : value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const share = (value) => number(value, 3);
  const tokens = (value) => number(value, value !== null && Math.abs(value) < 100 ? 1 : 0);

  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  function setTheme(name) {
    root.dataset.theme = name;
    document.dispatchEvent(new Event("theme"));
  }
  setTheme(dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));

  function start() {
    document.getElementById("theme").onclick = () => setTheme(root.dataset.theme === "dark" ? "light" : "dark");
    for (const part of document.querySelectorAll("[data-needs]")) part.hidden = !get("study")[part.dataset.needs].length;
    window.addEventListener("hashchange", route);
    route();
  }
  document.addEventListener("DOMContentLoaded", start);

  return { put, get, load, script, el, address, here, views, number, share, tokens };
})();

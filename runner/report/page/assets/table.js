// The leaderboard: sorting by any column, filtering by words, choosing columns.
"use strict";

(() => {
  const board = document.getElementById("board");
  const body = board.tBodies[0];
  const rows = [...body.rows];
  const heads = [...board.tHead.rows[0].cells];

  const keyOf = (row, column, kind) => {
    const cell = row.cells[column];
    const raw = cell.dataset.value ?? cell.textContent.trim();
    if (kind === "number") return raw === "" ? null : Number(raw);
    return raw;
  };

  // Rows without a value stay last whichever way.
  function compare(one, other, sign) {
    if (one === other) return 0;
    if (one === null) return 1;
    if (other === null) return -1;
    const numbers = [Number(one), Number(other)];
    if (!numbers.some(Number.isNaN)) return sign * (numbers[0] - numbers[1]);
    return sign * String(one).localeCompare(String(other), "en", { numeric: true });
  }

  function sortBy(column) {
    const head = heads[column];
    const before = head.getAttribute("aria-sort");
    const first = head.dataset.kind === "number" ? "descending" : "ascending";
    const way = before === null ? first : before === "descending" ? "ascending" : "descending";
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", way);
    const sign = way === "descending" ? -1 : 1;
    const keyed = rows.map((row, place) => [keyOf(row, column, head.dataset.kind), place, row]);
    keyed.sort((a, b) => compare(a[0], b[0], sign) || a[1] - b[1]);
    body.append(...keyed.map(([, , row]) => row));
  }

  heads.forEach((head, column) => { head.querySelector("button").onclick = () => sortBy(column); });

  const filter = document.getElementById("filter");
  const shown = document.getElementById("shown");
  const texts = rows.map((row) => [...row.cells].filter((cell) => !cell.dataset.column).map((cell) => cell.textContent)
    .join(" ").toLowerCase());

  function narrow() {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    rows.forEach((row, place) => {
      row.hidden = !words.every((word) => texts[place].includes(word));
      left += !row.hidden;
    });
    shown.textContent = words.length ? `${left} of ${rows.length} runs` : "";
  }
  filter.addEventListener("input", narrow);

  document.getElementById("columns").addEventListener("change", (event) => {
    for (const cell of board.querySelectorAll("[data-column]")) {
      if (cell.dataset.column === event.target.value) cell.hidden = !event.target.checked;
    }
  });

  for (const menu of document.querySelectorAll("details.menu")) {
    menu.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { menu.open = false; menu.querySelector("summary").focus(); }
    });
    document.addEventListener("click", (event) => { if (!menu.contains(event.target)) menu.open = false; });
  }
})();

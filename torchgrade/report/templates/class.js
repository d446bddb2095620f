"use strict";
// Sorts and filters the matrix: rows that are there already are reordered and hidden, and no text becomes markup.
(() => {
  const table = document.getElementById("matrix"), body = table.tBodies[0], get = id => document.getElementById(id);
  const WORST_FIRST = "nfshop", WORDS = {p: "passed", h: "partly passed", f: "not passed", s: "skipped", o: "open"};
  const rows = Array.from(body.rows, row => {
    const [name, mark, state] = row.cells;
    const outcomes = Array.from(row.cells).slice(3).map(cell => cell.className).join("");
    return {row, outcomes, name: name.textContent, mark: mark.textContent ? +mark.textContent : -1, state: state.textContent};
  });
  const collator = new Intl.Collator("en", {numeric: true});
  const checks = Array.from(table.querySelectorAll("th.check"));

  const compare = key => ({
    name: (a, b) => collator.compare(a.name, b.name), mark: (a, b) => a.mark - b.mark, state: (a, b) => collator.compare(a.state, b.state),
  })[key] || ((a, b) => WORST_FIRST.indexOf(a.outcomes[key] || "n") - WORST_FIRST.indexOf(b.outcomes[key] || "n"));

  const tell = () => {
    const head = table.querySelector("[aria-sort]"), shown = rows.filter(each => !each.row.hidden).length;
    get("said").textContent = `${shown} of ${rows.length} students, by ${head.title || head.textContent}, ${head.getAttribute("aria-sort")}`;
  };

  table.tHead.addEventListener("click", event => {
    const head = event.target.closest("button")?.closest("th");
    if (!head) return;
    const descending = head.getAttribute("aria-sort") === "ascending", order = compare(head.dataset.key);
    for (const other of table.querySelectorAll("[aria-sort]")) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    rows.sort((a, b) => descending ? order(b, a) : order(a, b));
    body.append(...rows.map(each => each.row));
    tell();
  });

  const filter = () => {
    const text = get("text").value.trim().toLowerCase(), check = get("check").value, outcome = get("outcome").value;
    for (const {row, name, state, outcomes} of rows) {
      const fits = `${name} ${state}`.toLowerCase().includes(text)
        && (!outcome || (check ? outcomes[check] || "" : outcomes).includes(outcome));
      row.hidden = !fits;
    }
    tell();
  };
  for (const id of ["text", "check", "outcome"]) get(id).addEventListener("input", filter);
  get("all").addEventListener("click", () => {
    get("text").value = get("check").value = get("outcome").value = "";
    filter();
  });
  body.addEventListener("mouseover", event => {
    const cell = event.target.closest("td"), place = cell ? cell.cellIndex - 3 : -1;
    if (place < 0 || cell.title || !checks[place]) return;
    cell.title = `${cell.parentNode.cells[0].textContent}: ${checks[place].title}: ${WORDS[cell.className] || "not there"}`;
  });
  get("controls").hidden = false;
  filter();
})();

// A click or Enter on a heading of the table of rows sorts by it, a second one the other way round.
(function () {
  const table = document.getElementById("rows"), heads = Array.from(table.tHead.rows[0].cells);
  const last = ["", "once", "own"];
  function value(row, i) {
    const cell = row.cells[i], text = cell.textContent, number = Number(cell.dataset.v === undefined ? text : cell.dataset.v);
    return text !== "" && number === number ? number : text.toLowerCase();
  }
  function compare(a, b) {
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  function sort(i) {
    const rows = Array.from(table.querySelectorAll("tr")).filter(function (r) { return r !== table.tHead.rows[0]; });
    // Ranks and names begin with the least, figures with the greatest.
    const first = i === 0 || heads[i].className === "unit" ? "ascending" : "descending";
    const other = first === "ascending" ? "descending" : "ascending";
    const order = heads[i].getAttribute("aria-sort") === first ? other : first;
    heads.forEach(function (h) { h.removeAttribute("aria-sort"); });
    heads[i].setAttribute("aria-sort", order);
    const way = order === "ascending" ? 1 : -1;
    // The line of single samples stays below the rows, and ebb's own, which is no part of the program, the last.
    rows.sort(function (a, b) { return last.indexOf(a.className) - last.indexOf(b.className) || way * compare(value(a, i), value(b, i)); });
    rows.forEach(function (r) { r.parentElement.appendChild(r); });
  }
  heads.forEach(function (h, i) {
    h.tabIndex = 0;
    h.title = "sort by " + h.textContent;
    h.onclick = function () { sort(i); };
    h.onkeydown = function (e) { if (e.key === "Enter" || e.key === " ") { sort(i); e.preventDefault(); } };
  });
})();

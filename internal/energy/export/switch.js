// Shows the table of the view and the rule that are chosen, and its first rows until somebody wants all. Without scripts the first
// table is shown, with all rows.
(function () {
  const bar = document.getElementById("switch"), table = document.getElementById("rows"), bodies = Array.from(table.tBodies);
  const view = document.getElementById("view"), rule = document.getElementById("rule"), more = document.getElementById("more");
  const whole = document.getElementById("whole");
  let brief = true;
  function show() {
    bodies.forEach(function (b) {
      if (bar) b.hidden = b.dataset.view !== view.value || b.dataset.rule !== rule.value;
      if (b.hidden) return;
      const n = Array.from(b.rows).filter(function (r) { return r.className === ""; }).length;
      more.textContent = b.dataset.more === "0" ? "" : "and " + b.dataset.more + " more";
      whole.hidden = n <= 12; // a heading, a button and two rows are as high
      table.classList.toggle("brief", brief && !whole.hidden);
      whole.textContent = brief ? "all " + n + " rows" : "fewer rows";
      more.hidden = brief && !whole.hidden;
    });
  }
  whole.onclick = function () { brief = !brief; show(); };
  if (bar) { view.onchange = rule.onchange = show; bar.hidden = false; }
  show();
})();

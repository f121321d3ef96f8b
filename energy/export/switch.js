// Shows the table of the view and the rule that are chosen. Without scripts the first one is shown.
(function () {
  const bar = document.getElementById("switch"), bodies = Array.from(document.querySelectorAll("#rows tbody"));
  if (!bar) return;
  const view = document.getElementById("view"), rule = document.getElementById("rule"), more = document.getElementById("more");
  function show() {
    bodies.forEach(function (b) {
      b.hidden = b.dataset.view !== view.value || b.dataset.rule !== rule.value;
      if (!b.hidden) more.textContent = b.dataset.more === "0" ? "" : "and " + b.dataset.more + " more";
    });
  }
  view.onchange = rule.onchange = show;
  bar.hidden = false;
  show();
})();

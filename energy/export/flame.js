"use strict";
// The flame graph: width is energy, colour is power while the frame ran. A click zooms, a second one on the same goes back.
(function () {
  const root = JSON.parse(document.getElementById("tree").textContent);
  const box = document.getElementById("flame"), details = document.getElementById("details");
  const field = document.getElementById("search"), found = document.getElementById("found");
  const row = 17;
  let zoom = root, lo = Infinity, hi = 0;

  function each(n, parent, depth, f) { n.p = parent; f(n, depth); for (const c of n.c || []) each(c, n, depth + 1, f); }
  function watts(n) { return n.t > 0 ? n.e * 1000 / n.t : NaN; }
  each(root, null, 0, function (n) {
    const w = watts(n);
    // What ran for a very short time has a power that means little.
    if (w > 0 && n.e > root.e / 200) { lo = Math.min(lo, w); hi = Math.max(hi, w); }
  });
  if (!(hi > 0)) { lo = 0; hi = 1; }
  // Where all ran at nearly the same power, what is left of a difference is no colour.
  const wide = 0.05 * (lo + hi);
  if (hi - lo < wide) { const middle = (lo + hi) / 2; lo = middle - wide / 2; hi = middle + wide / 2; }

  function colour(w) {
    if (!(w >= 0)) return "#b9c0c7";
    const x = Math.min(Math.max((w - lo) / (hi - lo), 0), 1);
    const stops = [[120, 185, 230], [250, 225, 130], [232, 120, 90]];
    const at = x * 2, i = Math.min(Math.floor(at), 1), f = at - i;
    return "rgb(" + stops[i].map(function (v, k) { return Math.round(v + f * (stops[i + 1][k] - v)); }).join(",") + ")";
  }
  function energy(uj) {
    if (uj >= 1e6) return (uj / 1e6).toPrecision(4) + " J";
    if (uj >= 1e3) return (uj / 1e3).toPrecision(4) + " mJ";
    return uj + " uJ";
  }
  function describe(n) {
    const w = watts(n);
    return n.n + "  —  " + energy(n.e) + ", " + (100 * n.e / root.e).toFixed(1) + " % of all; CPU time " + (n.t / 1e9).toPrecision(3) + " s" +
      (w >= 0 ? ", " + w.toPrecision(3) + " W while it ran" : "") + "; " + n.s + " samples";
  }
  function draw() {
    box.textContent = "";
    const word = field.value.toLowerCase(), total = zoom.e || 1;
    let deepest = 0, hits = 0, above = [];
    for (let n = zoom.p; n; n = n.p) above.unshift(n);
    function put(n, depth, left, width, past) {
      deepest = Math.max(deepest, depth);
      const d = document.createElement("div");
      d.style.left = 100 * left + "%"; d.style.width = 100 * width + "%"; d.style.top = depth * row + "px";
      d.style.background = colour(watts(n)); d.textContent = n.n; d.title = describe(n);
      if (past) d.className = "past";
      if (word && n.n.toLowerCase().includes(word)) d.classList.add("found");
      d.onclick = function () { zoom = n === zoom && n.p ? n.p : n; draw(); };
      d.onmouseenter = function () { details.textContent = describe(n); };
      box.appendChild(d);
    }
    above.forEach(function (n, i) { put(n, i, 0, 1, true); });
    (function walk(n, depth, left, matched) {
      const width = n.e / total;
      if (width < 0.0005) return;
      const hit = word && n.n.toLowerCase().includes(word);
      if (hit && !matched) hits += n.e;
      put(n, depth, left, width, false);
      for (const c of n.c || []) { walk(c, depth + 1, left, matched || hit); left += c.e / total; }
    })(zoom, above.length, 0, false);
    box.style.height = (deepest + 1) * row + "px";
    found.textContent = word ? energy(hits) + ", " + (100 * hits / total).toFixed(1) + " % of what is shown, in frames with this name" : "";
  }
  document.getElementById("legend").style.background = "linear-gradient(90deg," + colour(lo) + "," + colour((lo + hi) / 2) + "," + colour(hi) + ")";
  document.getElementById("low").textContent = lo.toPrecision(3) + " W";
  document.getElementById("high").textContent = hi.toPrecision(3) + " W";
  document.getElementById("reset").onclick = function () { zoom = root; field.value = ""; draw(); };
  field.oninput = draw;
  draw();
})();

"use strict";
// The flame graph: width is energy (or CPU time), colour is power while the frame ran. A click or Enter zooms, a second one on the same goes
// back; arrows go from frame to frame.
(function () {
  const whole = JSON.parse(document.getElementById("tree").textContent);
  // Without joules the width is CPU time, in us, and there is no power.
  const time = document.getElementById("tree").dataset.time === "1";
  // A function that calls itself is one frame, with all that it calls from any depth.
  function folded(n) {
    const by = new Map();
    let again = false;
    (function gather(list) {
      for (const c of list) {
        if (c.n === n.n && c.k === n.k && c.k !== "other") { again = true; gather(c.c || []); continue; }
        const key = (c.k || "") + "\n" + c.n;
        let g = by.get(key);
        if (!g) { g = { n: c.n, k: c.k, e: 0, t: 0, s: 0, c: [] }; by.set(key, g); }
        g.e += c.e; g.t += c.t; g.s += c.s;
        for (const x of c.c || []) g.c.push(x);
      }
    })(n.c || []);
    const below = Array.from(by.values()).sort(function (a, b) { return a.n < b.n ? -1 : a.n > b.n ? 1 : 0; });
    return { n: n.n, k: n.k, e: n.e, t: n.t, s: n.s, again: again, c: below.map(folded) };
  }
  const flat = folded(whole), fold = document.getElementById("fold");
  let root = flat;
  fold.parentElement.hidden = !(function any(n) { return n.again || n.c.some(any); })(flat);
  const box = document.getElementById("flame"), details = document.getElementById("details");
  const field = document.getElementById("search"), found = document.getElementById("found");
  const row = 17;
  let zoom = root, at = root, lo = Infinity, hi = 0;

  function each(n, parent, depth, f) { n.p = parent; f(n, depth); for (const c of n.c || []) each(c, n, depth + 1, f); }
  function watts(n) { return n.t > 0 && !time ? n.e * 1000 / n.t : NaN; }
  each(whole, null, 0, function () {});
  each(root, null, 0, function (n) {
    const w = watts(n);
    // What ran for a very short time has a power that means little.
    if (w > 0 && n.e > root.e / 200) { lo = Math.min(lo, w); hi = Math.max(hi, w); }
  });
  if (!(hi > 0)) { lo = 0; hi = 1; }
  // Where all ran at nearly the same power, what is left of a difference is no colour.
  const wide = 0.05 * (lo + hi), alike = hi - lo < wide;
  if (alike) { const middle = (lo + hi) / 2; lo = middle - wide / 2; hi = middle + wide / 2; }

  function colour(w) {
    if (!(w >= 0)) return time ? "#fae182" : "#b9c0c7";
    const x = Math.min(Math.max((w - lo) / (hi - lo), 0), 1);
    const stops = [[120, 185, 230], [250, 225, 130], [232, 120, 90]];
    const at = x * 2, i = Math.min(Math.floor(at), 1), f = at - i;
    return "rgb(" + stops[i].map(function (v, k) { return Math.round(v + f * (stops[i + 1][k] - v)); }).join(",") + ")";
  }
  function energy(uj) {
    if (time) return (uj / 1e6).toPrecision(4) + " s";
    if (uj >= 1e6) return (uj / 1e6).toPrecision(4) + " J";
    if (uj >= 1e3) return (uj / 1e3).toPrecision(4) + " mJ";
    return uj + " \u00b5J";
  }
  function describe(n) {
    const w = watts(n);
    return n.n + (n.again ? " (it calls itself)" : "") + "  —  " + energy(n.e) + ", " + (100 * n.e / root.e).toFixed(1) + " % of all" + (time ? "" : "; CPU time " + (n.t / 1e9).toPrecision(3) + " s") +
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
      d.setAttribute("role", "treeitem"); d.setAttribute("aria-level", depth + 1); d.setAttribute("aria-label", describe(n));
      d.tabIndex = -1; n.d = d;
      d.onclick = function () { turn(n); };
      d.onmouseenter = function () { details.textContent = describe(n); };
      d.onfocus = function () { reach(n); };
      box.appendChild(d);
    }
    each(root, null, 0, function (n) { n.d = null; });
    above.forEach(function (n, i) { put(n, i, 0, 1, true); });
    (function walk(n, depth, left, matched) {
      const width = n.e / total;
      if (width < 0.0005) return;
      const hit = word && n.n.toLowerCase().includes(word);
      if (hit && !matched) hits += n.e;
      put(n, depth, left, width, false);
      for (const c of n.c || []) { walk(c, depth + 1, left, matched || hit); left += c.e / total; }
    })(zoom, above.length, 0, false);
    box.style.height = (deepest + 1) * row + 2 + "px";
    if (!at.d) at = zoom;
    at.d.tabIndex = 0;
    found.textContent = word ? energy(hits) + ", " + (100 * hits / total).toFixed(1) + " % of what is shown, in frames with this name" : "";
  }
  // reach makes n the frame that Tab leads to, and describes it.
  function reach(n) {
    if (at.d) at.d.tabIndex = -1;
    at = n; n.d.tabIndex = 0; details.textContent = describe(n);
  }
  function turn(n) {
    zoom = at = n === zoom && n.p ? n.p : n;
    const had = box.contains(document.activeElement);
    draw();
    if (had) at.d.focus();
  }
  // beside is the nearest frame of the same caller that is drawn, one way or the other.
  function beside(n, way) {
    const all = n.p ? n.p.c || [] : [];
    for (let i = all.indexOf(n) + way; i >= 0 && i < all.length; i += way) if (all[i].d) return all[i];
    return null;
  }
  box.onkeydown = function (e) {
    const to = { ArrowUp: at.p, ArrowLeft: beside(at, -1), ArrowRight: beside(at, 1),
      ArrowDown: (at.c || []).filter(function (c) { return c.d; }).sort(function (a, b) { return b.e - a.e; })[0] };
    if (e.key in to) { if (to[e.key] && to[e.key].d) { reach(to[e.key]); at.d.focus(); } }
    else if (e.key === "Enter" || e.key === " ") turn(at);
    else if (e.key === "Escape") turn(root);
    else return;
    e.preventDefault();
  };
  document.getElementById("wide").onchange = function () { document.querySelector(".beside").classList.toggle("wide"); };
  fold.onchange = function () { root = zoom = at = fold.checked ? flat : whole; draw(); };
  document.getElementById("legend").style.background = "linear-gradient(90deg," + colour(lo) + "," + colour((lo + hi) / 2) + "," + colour(hi) + ")";
  // One power needs no scale.
  document.getElementById("legend").hidden = document.getElementById("high").hidden = alike;
  document.getElementById("low").textContent = alike ? "all at about " + ((lo + hi) / 2).toPrecision(3) + " W" : lo.toPrecision(3) + " W";
  document.getElementById("high").textContent = hi.toPrecision(3) + " W";
  document.getElementById("reset").onclick = function () { zoom = at = root; field.value = ""; draw(); };
  field.oninput = draw;
  // A unit of the table leads to its frames, whose names have no library before them and no brackets around them.
  document.getElementById("rows").onclick = function (e) {
    if (!e.target.matches("td.unit a")) return;
    field.value = e.target.textContent.replace(/^\[[^\]]*\] /, "").replace(/^\[(.*)\]$/, "$1").replace(/\u2026$/, "");
    zoom = at = root;
    draw();
  };
  draw();
})();

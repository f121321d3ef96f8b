// A click on a point marks the way of its interval through the tree.
(function () {
  "use strict";
  const paths = JSON.parse(document.getElementById("paths").textContent);
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  function choose(key) {
    all(".chosen").forEach((e) => e.classList.remove("chosen"));
    all('[data-key="' + key + '"]').forEach((e) => e.classList.add("chosen"));
    for (const n of paths.nodes[key]) {
      all('[data-node="' + n + '"], [data-edge="' + n + '"]').forEach((e) => e.classList.add("chosen"));
    }
    document.getElementById("chosen").textContent = paths.words[key];
  }
  document.addEventListener("click", (e) => {
    const key = e.target.getAttribute && e.target.getAttribute("data-key");
    if (key !== null) choose(Number(key));
  });
})();

package chart

// colours is the number of colours of the palette; a figure with more series begins again.
const colours = 8

// css has the rules that the fragments need in the page's style sheet. --c0 to --c7 are the series'
// colours, --w0 to --w4 those of a third number from low to high.
const css = `.chart { max-width: 100%; height: auto; display: block; margin: .4rem 0 .8rem; background: var(--chart-back); border-radius: 6px;
  --chart-ink: #1d2733; --chart-soft: #566472; --chart-line: #d5dbe2; --chart-back: #f7f9fa;
  --c0: #0a6ebd; --c1: #e08214; --c2: #1b8a5a; --c3: #b8437f; --c4: #6a51a3; --c5: #4aa5c9; --c6: #7a7f87; --c7: #a6761d;
  --w0: #2c5aa8; --w1: #5b93c4; --w2: #a9a9a0; --w3: #e08a3c; --w4: #b3261e; }
@media (prefers-color-scheme: dark) { .chart { --chart-ink: #e3e9ef; --chart-soft: #a3b1be; --chart-line: #36424e; --chart-back: #1b232b;
  --c0: #5aa9ea; --c1: #f0a24a; --c2: #4fc08d; --c3: #e07fb2; --c4: #a994e0; --c5: #86d0ec; --c6: #a5abb3; --c7: #d3a75a;
  --w0: #4f86e0; --w1: #7fb8e6; --w2: #8d9097; --w3: #f0a24a; --w4: #ff6f61; } }
.chart text { fill: var(--chart-ink); font: 12px system-ui, sans-serif; } .chart .soft { fill: var(--chart-soft); }
.chart .small { font-size: 10px; paint-order: stroke; stroke: var(--chart-back); stroke-width: 3px; stroke-linejoin: round; } .chart .inside { font-size: 10px; font-weight: 600; fill: var(--chart-back); } .chart .name { font-weight: 600; font-size: 13px; }
.chart .grid { stroke: var(--chart-line); fill: none; } .chart .zero { stroke: var(--chart-soft); fill: none; }
.chart .bar { stroke: var(--chart-ink); stroke-width: 1.2; fill: none; } .chart .level { stroke: var(--chart-ink); stroke-dasharray: 5 4; fill: none; }
.chart .ref { fill: var(--chart-back); stroke: var(--chart-ink); stroke-width: 1.6; }
.chart .f0 { fill: var(--c0); } .chart .f1 { fill: var(--c1); } .chart .f2 { fill: var(--c2); } .chart .f3 { fill: var(--c3); }
.chart .f4 { fill: var(--c4); } .chart .f5 { fill: var(--c5); } .chart .f6 { fill: var(--c6); } .chart .f7 { fill: var(--c7); }
.chart .s0 { stroke: var(--c0); } .chart .s1 { stroke: var(--c1); } .chart .s2 { stroke: var(--c2); } .chart .s3 { stroke: var(--c3); }
.chart .s4 { stroke: var(--c4); } .chart .s5 { stroke: var(--c5); } .chart .s6 { stroke: var(--c6); } .chart .s7 { stroke: var(--c7); }
.chart .s0, .chart .s1, .chart .s2, .chart .s3, .chart .s4, .chart .s5, .chart .s6, .chart .s7 { fill: none; stroke-width: 1.8; }
.chart .open { fill: var(--chart-back); }
.chart .w0 { fill: var(--w0); } .chart .w1 { fill: var(--w1); } .chart .w2 { fill: var(--w2); } .chart .w3 { fill: var(--w3); } .chart .w4 { fill: var(--w4); }
.chart [data-key] { cursor: pointer; } .chart [data-key].chosen { stroke: var(--chart-ink); stroke-width: 3; }
.chart .branch { stroke: var(--chart-line); stroke-width: 1.4; fill: none; } .chart .twig { fill: var(--chart-soft); }
.chart .branch.chosen { stroke: var(--c1); stroke-width: 3; } .chart .twig.chosen { fill: var(--c1); }
`

// Figure is one drawing.
type Figure interface {
	// SVG is the drawing as a fragment for a page whose style sheet has CSS.
	SVG() string
}

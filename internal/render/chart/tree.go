package chart

import (
	"fmt"
	"html"
)

// Tree is a figure of a tree that grows from left to right. Node i has the attribute data-node, and
// the line to it data-edge, by which a page's script finds them.
type Tree struct {
	Title, Desc string
	Nodes       []TreeNode // the root comes first
	Width       int        // 0 for the usual size
}

// TreeNode is a node with what the lines to its two sides mean. Left is 0 in a leaf, where the
// other fields but Text are empty. The node after Left is the right side.
type TreeNode struct {
	Text, Title string
	Left        int
}

const treeRow = 22 // distance between two leaves

// SVG implements Figure.
func (t Tree) SVG() string {
	leaves, depth := t.extent(0)
	w, h := size(t.Width, 60+treeRow*leaves)
	var p pen
	p.begin(w, h, t.Title, t.Desc)
	p.text("name", "start", 12, 20, t.Title)
	if len(t.Nodes) == 0 {
		return p.end()
	}
	column := float64(w-marginRight-24) / float64(depth+1)
	next := 44.0
	var lines, texts pen
	t.draw(&lines, &texts, 0, 24, column, &next)
	p.WriteString(lines.String() + texts.String())
	return p.end()
}

// extent returns the number of leaves below a node, and the longest way to one.
func (t *Tree) extent(n int) (leaves, depth int) {
	if n >= len(t.Nodes) || t.Nodes[n].Left == 0 {
		return 1, 0
	}
	left, below := t.extent(t.Nodes[n].Left)
	right, beside := t.extent(t.Nodes[n].Left + 1)
	return left + right, 1 + max(below, beside)
}

// draw draws a node and those below it, and returns its height.
func (t *Tree) draw(lines, texts *pen, n int, x, column float64, next *float64) (y float64) {
	node := &t.Nodes[n]
	if node.Left == 0 {
		y = *next
		*next += treeRow
	} else {
		top := t.draw(lines, texts, node.Left, x+column, column, next)
		bottom := t.draw(lines, texts, node.Left+1, x+column, column, next)
		y = (top + bottom) / 2
		for i, end := range []float64{top, bottom} {
			fmt.Fprintf(lines, `<path class="branch" data-edge="%d" d="M%.1f %.1fC%.1f %.1f `+
				`%.1f %.1f %.1f %.1f"/>`, node.Left+i, x, y, x+column/2, y, x+column/2, end,
				x+column, end)
		}
	}
	fmt.Fprintf(texts, `<circle class="twig" data-node="%d" cx="%.1f" cy="%.1f" r="4">%s</circle>`,
		n, x, y, titled(node.Title))
	fmt.Fprintf(texts, `<text class="small" x="%.1f" y="%.1f">%s</text>`, x+7, y-4,
		html.EscapeString(node.Text))
	return y
}

package devtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// node is one entry of a tree's text.
type node struct {
	kind, path string
	mode       os.FileMode
	content    string // content of a file, or target of a link
}

var errTree = errors.New("no tree")

// parse reads a tree's text. It makes nothing.
func parse(text string) ([]node, error) {
	var nodes []node
	for line := range strings.Lines(text) {
		number := func() error { return fmt.Errorf("%w: %.60q", errTree, line) }
		if content, ok := strings.CutPrefix(line, "\t"); ok {
			if len(nodes) == 0 || nodes[len(nodes)-1].kind != "file" {
				return nil, number()
			}
			nodes[len(nodes)-1].content += content
			continue
		}
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || strings.HasPrefix(line, "#"):
		case len(fields) == 2 && fields[0] == "dir":
			nodes = append(nodes, node{kind: "dir", path: fields[1]})
		case len(fields) == 3 && fields[0] == "link":
			nodes = append(nodes, node{kind: "link", path: fields[1], content: fields[2]})
		case len(fields) == 3 && fields[0] == "file":
			mode, err := strconv.ParseUint(fields[1], 8, 9)
			if err != nil {
				return nil, number()
			}
			nodes = append(nodes, node{kind: "file", path: fields[2], mode: os.FileMode(mode)})
		default:
			return nil, number()
		}
		if n := len(nodes); n > 0 && !filepath.IsLocal(nodes[n-1].path) {
			return nil, number()
		}
	}
	return nodes, nil
}

// Tree makes the tree that text describes in a new temporary directory, and returns the directory.
func Tree(tb testing.TB, text string) string {
	tb.Helper()
	dir := tb.TempDir()
	nodes, err := parse(text)
	if err != nil {
		tb.Fatal(err)
	}
	for _, n := range nodes {
		if err := n.make(dir); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

func (n node) make(dir string) error {
	path := filepath.Join(dir, n.path)
	if n.kind == "dir" {
		return os.MkdirAll(path, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if n.kind == "link" {
		return os.Symlink(n.content, path)
	}
	if err := os.WriteFile(path, []byte(n.content), 0o644); err != nil {
		return err
	}
	return os.Chmod(path, n.mode)
}

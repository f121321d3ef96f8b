// Package prose checks how the project's texts read: Markdown, and the comments and messages of its
// Go code. Its test reads the whole tree and lists each finding with file and line; nothing else
// imports it. test/README.md says how to use it.
//
// Four rules can be checked by a machine:
//
// Width. A line has at most 100 columns, a tab counting as four. Exempt are lines that nobody can
// fold: Markdown's tables and code blocks, Go's raw strings (texts of another format), compiler
// directives (//go:), generated files, and a line with a URL.
//
// Phrases. Phrases has expressions that a reader has to translate, each with what to write instead.
// Markdown's code and Go's identifiers are exempt.
//
// Figures. The figures that the documentation quotes stand in the committed files of what was
// measured.
//
// Links. A relative link in Markdown leads to a file that exists, and to a heading that it has.
package prose

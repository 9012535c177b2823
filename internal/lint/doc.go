// Package lint holds the repository's own rules as functions over its source,
// and the tests that apply them.
//
// Words:
//
//   - tree: the source files of the repository, read once
//   - rule: a function from a tree to the places that break it
//   - finding: one such place, as file:line and what is wrong
//
// Each rule has a case in testdata that breaks it, so that no rule is empty.
// What a general linter already says is not repeated here.
package lint

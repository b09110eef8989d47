// Package console formats terminal output: text with escaped control characters,
// tables, numbers, progress, and words quoted for a shell.
package console

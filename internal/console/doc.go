// Package console prints what people read on a terminal: text whose control characters
// are spelled out, tables, numbers, progress, and words quoted for a shell.
package console

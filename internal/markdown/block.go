// Package markdown reads the project's documents for tests: their pages, their fenced blocks, and
// the comments that describe how a test treats a block.
package markdown

import (
	"regexp"
	"strings"
)

// Block is a fenced block of a page.
type Block struct {
	Line     int    // line of the opening fence, counted from 1
	Language string // the first word after the fence; empty if there is none
	Text     string // without the indentation of the fence
	// NotRun is the reason in a comment "<!-- not run: REASON -->" on the line before the block.
	NotRun string
	// File is the name in a comment "<!-- file: NAME -->" on the line before the block: the block's
	// text is the content of that file for later blocks.
	File string
}

var (
	fence   = regexp.MustCompile("^( *)(```+)\\s*(\\S*)")
	comment = regexp.MustCompile(`^\s*<!-- (not run|file): (.*?) -->\s*$`)
	code    = regexp.MustCompile("``[^`]*``|`[^`\n]*`")
)

// Blocks returns the fenced blocks of a page in their order.
func Blocks(page string) []Block {
	var blocks []Block
	var open *Block
	var indent, marks, before string
	number := 0
	for line := range strings.Lines(page) {
		number++
		m := fence.FindStringSubmatch(line)
		switch {
		case open == nil && m != nil:
			open, indent, marks = &Block{Line: number, Language: m[3]}, m[1], m[2]
			if c := comment.FindStringSubmatch(before); c != nil && c[1] == "file" {
				open.File = c[2]
			} else if c != nil {
				open.NotRun = c[2]
			}
		case open != nil && m != nil && m[2] == marks && m[3] == "":
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.Text += strings.TrimPrefix(line, indent)
		}
		before = line
	}
	return blocks
}

// Script returns the commands of a block. If the block has prompts ("$ …"), these are the lines
// after the prompts with their continuations, since the other lines are output. Otherwise the whole
// block is returned.
func (b Block) Script() string {
	if !strings.HasPrefix(b.Text, "$ ") && !strings.Contains(b.Text, "\n$ ") {
		return b.Text
	}
	var script strings.Builder
	continued := false
	for line := range strings.Lines(b.Text) {
		command, prompt := strings.CutPrefix(line, "$ ")
		if prompt || continued {
			script.WriteString(command)
			continued = strings.HasSuffix(strings.TrimRight(line, "\n"), "\\")
		}
	}
	return script.String()
}

// WithoutBlocks returns a page without its fenced blocks.
func WithoutBlocks(page string) string {
	var text strings.Builder
	marks := ""
	for line := range strings.Lines(page) {
		m := fence.FindStringSubmatch(line)
		switch {
		case marks == "" && m != nil:
			marks = m[2]
		case marks != "" && m != nil && m[2] == marks && m[3] == "":
			marks = ""
		case marks == "":
			text.WriteString(line)
		}
	}
	return text.String()
}

// WithoutCode returns a page without its fenced blocks and without inline code.
func WithoutCode(page string) string {
	return code.ReplaceAllString(WithoutBlocks(page), "")
}

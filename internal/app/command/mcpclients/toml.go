package mcpclients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// tomlForm is a file of TOML with a table for each server.
type tomlForm struct{}

const table = "[mcp_servers." + name + "]"

func (tomlForm) entry(s Server) []byte {
	var args []string
	for _, a := range s.Args {
		args = append(args, tomlString(a))
	}
	return fmt.Appendf(nil, "%s\ncommand = %s\nargs = [%s]\n", table, tomlString(s.Command), strings.Join(args, ", "))
}

// tomlString returns a basic string of TOML, whose escapes JSON has, too.
func tomlString(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string has a JSON form
	}
	return strings.ReplaceAll(string(quoted), "\x7f", `\u007f`)
}

func (f tomlForm) add(text []byte, s Server) ([]byte, error) {
	entry := f.entry(s)
	from, to, err := tableOf(text)
	if err != nil {
		return nil, err
	}
	if from < to {
		if bytes.Equal(bytes.TrimSpace(text[from:to]), bytes.TrimSpace(entry)) {
			return text, nil
		}
		return slices.Concat(text[:from], entry, text[to:]), nil
	}
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(bytes.Clone(text), '\n')
	}
	if len(text) > 0 {
		text = append(bytes.Clone(text), '\n')
	}
	return slices.Concat(text, entry), nil
}

func (tomlForm) remove(text []byte) ([]byte, bool, error) {
	from, to, err := tableOf(text)
	if err != nil || from == to {
		return text, false, err
	}
	before, after := text[:from], text[to:]
	if len(after) == 0 {
		before = append(bytes.TrimRight(before, "\n"), '\n')
		if len(before) == 1 {
			before = nil
		}
	}
	return slices.Concat(before, after), true, nil
}

var (
	// tableHead is the head of a table or of an array of tables.
	tableHead = regexp.MustCompile(`^\s*\[`)
	// inline are definitions of the server in another form than a table of its own.
	inline = regexp.MustCompile(`(?m)^\s*(mcp_servers\s*=|mcp_servers\s*\.|"mcp_servers"|'mcp_servers'|\[\s*mcp_servers\s*\]|\[\s*mcp_servers\s*\.\s*["']` + name + `["'])`)
)

// tableOf returns where the table of the server is in a text, with its subtables; from is to if there
// is none. A comment and empty lines before the next table belong to that one.
func tableOf(text []byte) (from, to int, err error) {
	if inline.Match(text) {
		return 0, 0, errors.New("it has mcp_servers in another form than a table for each server")
	}
	from, to = -1, len(text)
	at, kept, multiline := 0, 0, false
	for line := range bytes.Lines(text) {
		isHead := !multiline && tableHead.Match(line)
		mine := isHead && isTableOfServer(line)
		switch {
		case mine && from < 0:
			from = at
		case isHead && !mine && from >= 0:
			return from, kept, nil
		}
		if bytes.Count(line, []byte(`"""`))%2 == 1 || bytes.Count(line, []byte("'''"))%2 == 1 {
			multiline = !multiline
		}
		at += len(line)
		if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 && trimmed[0] != '#' {
			kept = at
		}
	}
	switch {
	case multiline:
		return 0, 0, errors.New("a string of several lines in it has no end")
	case from < 0:
		return 0, 0, nil
	}
	return from, to, nil
}

// isTableOfServer reports whether a line is the head of the table of the server, or of a table in it.
func isTableOfServer(line []byte) bool {
	head := strings.ReplaceAll(strings.ReplaceAll(string(bytes.TrimSpace(line)), " ", ""), "\t", "")
	return strings.HasPrefix(head, table) || strings.HasPrefix(head, strings.TrimSuffix(table, "]")+".")
}

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
	return slices.Concat([]byte(table+"\n"), commandOf(s), environment())
}

// commandOf returns the lines that say how the server is started.
func commandOf(s Server) []byte {
	return fmt.Appendf(nil, "command = %s\nargs = %s\n", tomlString(s.Command), tomlStrings(s.Args))
}

// environment returns the line that names the variables of Codex's environment that the server
// receives. Codex passes on no others but some of the system, such as PATH.
func environment() []byte { return fmt.Appendf(nil, "env_vars = %s\n", tomlStrings(variables)) }

func tomlStrings(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = tomlString(text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
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
	from, to, err := tableOf(text)
	if err != nil {
		return nil, err
	}
	if from < to {
		changed, err := changeTable(text[from:to], s)
		if err != nil {
			return nil, err
		}
		return slices.Concat(text[:from], changed, text[to:]), nil
	}
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(bytes.Clone(text), '\n')
	}
	if len(text) > 0 {
		text = append(bytes.Clone(text), '\n')
	}
	return slices.Concat(text, f.entry(s)), nil
}

// key is the key of a line.
var key = regexp.MustCompile(`^\s*["']?(\w+)["']?\s*=`)

// changeTable returns the table of the server with another command and other arguments. The rest of
// it, such as variables and limits, is a person's, and stays.
func changeTable(old []byte, s Server) ([]byte, error) {
	var kept []byte
	head, own, inArgs, hasVariables := []byte(nil), true, false, false
	for line := range bytes.Lines(old) {
		if head == nil {
			head = line
			continue
		}
		own = own && !tableHead.Match(line) || inArgs
		name := ""
		if found := key.FindSubmatch(line); own && !inArgs && found != nil {
			name = string(found[1])
		}
		switch {
		case inArgs || name == "args":
			inArgs = !endsArray(line)
		case name == "command":
		case name == "url":
			return nil, errors.New("its server has an address in place of a command")
		default:
			hasVariables = hasVariables || name == "env_vars"
			kept = append(kept, line...)
		}
	}
	if inArgs {
		return nil, errors.New("the arguments of its server have no end")
	}
	changed := slices.Concat(head, commandOf(s))
	if !bytes.HasSuffix(head, []byte("\n")) {
		changed = slices.Concat(head, []byte("\n"), commandOf(s))
	}
	if !hasVariables {
		changed = append(changed, environment()...)
	}
	return append(changed, kept...), nil
}

// endsArray reports whether a line is the last one of an array.
func endsArray(line []byte) bool {
	text, quote := strings.TrimSpace(string(line)), rune(0)
	last, escaped := ' ', false
	for _, r := range text {
		switch {
		case escaped:
			escaped = false
		case quote != 0:
			escaped = quote == '"' && r == '\\'
			if r == quote {
				quote = 0
			}
		case r == '#':
			return last == ']'
		case r == '"' || r == '\'':
			quote, last = r, r
		case r != ' ' && r != '\t':
			last = r
		}
	}
	return last == ']'
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

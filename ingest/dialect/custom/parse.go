package custom

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"tapedeck/schema"
)

// Bounds of a mapping file.
const (
	MaxFile       = 256 << 10 // bytes
	maxRules      = 500
	maxMatch      = 50
	maxConditions = 32 // of a rule
	maxRegex      = 1000
	maxValues     = 500 // of "in"
	maxText       = 1000
)

// namePattern is the form of a dialect's name.
var namePattern = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)

// ReadFile reads a mapping file. The error names the file, the line and the key of every problem.
func ReadFile(path string) (*Mapping, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("dialect file: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("dialect file: %w", err)
	}
	return Parse(path, text)
}

// Parse parses the text of a mapping file. file is its name in errors.
func Parse(file string, text []byte) (*Mapping, error) {
	if len(text) > MaxFile {
		return nil, fmt.Errorf("%s: a dialect file has at most %d bytes", file, MaxFile)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var root yaml.Node
	if err := decoder.Decode(&root); errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: the file is empty; docs/dialects/custom.md has an example", file)
	} else if err != nil {
		return nil, syntaxError(file, err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: a dialect file holds one YAML document", file)
	}
	d := &document{file: file}
	m := &Mapping{File: file}
	if d.plain(&root) {
		d.mapping(root.Content[0], m)
	}
	if len(d.problems) > 0 {
		return nil, errors.Join(d.problems...)
	}
	return m, nil
}

// syntaxError returns an error of the YAML parser with the file and the line, as in all other
// errors.
func syntaxError(file string, err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		if line, what, ok := strings.Cut(rest, ": "); ok {
			file, text = file+":"+line, what
		}
	}
	if text == "found character that cannot start any token" {
		text += "; YAML is indented with spaces, not with tabs, and a value that begins with @, ` or % stands in quotes"
	}
	return fmt.Errorf("%s: %s", file, text)
}

// plain rejects YAML aliases, which expand small files to large ones.
func (d *document) plain(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		d.wrong(n, "", "anchors and aliases (& and *) are not read; a value that begins with * must be in quotes")
		return false
	}
	for _, c := range n.Content {
		if !d.plain(c) {
			return false
		}
	}
	return true
}

// mapping reads the whole file.
func (d *document) mapping(n *yaml.Node, m *Mapping) {
	o, ok := d.object(n, "", "name", "about", "match", "type", "session", "run", "agent", "subagent", "model", "provider", "time", "event_id", "history", "rules")
	if !ok {
		return
	}
	if m.Name = o.text("name"); m.Name == "" {
		d.wrong(n, "name", "the key is missing")
	} else if !namePattern.MatchString(m.Name) {
		d.wrong(n, "name", "%q is not a name of a dialect: a letter, then up to 39 letters, digits and dashes, all lower case", m.Name)
	}
	if m.About = o.text("about"); len(m.About) > maxText {
		d.wrong(n, "about", "more than %d bytes", maxText)
	}
	m.fields = fields{
		typ: o.places("type"), session: o.places("session"), run: o.places("run"), agent: o.places("agent"), subagent: o.places("subagent"),
		model: o.places("model"), provider: o.places("provider"), time: o.places("time"), eventID: o.places("event_id"),
	}
	m.subagents = m.fields.subagent != nil
	kept := o.choice("history", "true", "false", "rewritten")
	m.history, m.lasting = kept == "true" || kept == "rewritten", kept == "true"
	for i, item := range o.list("match", maxMatch) {
		if when := d.conditions(item, fmt.Sprintf("match[%d]", i)); len(when) > 0 {
			m.match = append(m.match, when)
		}
	}
	for i, item := range o.list("rules", maxRules) {
		if r, ok := d.rule(item, fmt.Sprintf("rules[%d]", i)); ok {
			m.rules = append(m.rules, r)
			m.subagents = m.subagents || r.subagent != nil
		}
	}
	if o.get("rules") == nil {
		d.wrong(n, "rules", "the key is missing: without rules no facts are derived from a frame")
	}
}

// list reads a list of at least one element.
func (o *object) list(key string, limit int) []*yaml.Node {
	n := o.get(key)
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 || len(n.Content) > limit {
		o.doc.wrong(n, o.below(key), "this must be a list of 1 to %d elements", limit)
		return nil
	}
	return n.Content
}

// rule reads a rule.
func (d *document) rule(n *yaml.Node, at string) (r rule, ok bool) {
	o, ok := d.object(n, at, "when", "each", "start", "end", "call", "user", "system", "text", "thinking",
		"tool_call", "tool_wait", "tool_result", "subagent", "usage", "limit", "error", "ignore")
	if !ok {
		return r, false
	}
	if w := o.get("when"); w != nil {
		r.when = d.conditions(w, o.below("when"))
	}
	r.sent = r.when.onDirection()
	r.each, r.system, r.err = o.places("each"), o.places("system"), o.places("error")
	r.end = schema.Status(o.choice("end", string(schema.StatusOK), string(schema.StatusError), string(schema.StatusCancelled)))
	switch o.choice("call", "start", "end") {
	case "start":
		r.call = callStart
	case "end":
		r.call = callEnd
	}
	r.start, r.user = o.start(), o.user()
	r.text, r.thinking = o.output("text"), o.output("thinking")
	r.toolCall, r.wait, r.result, r.usage, r.limit = o.toolCall(), o.toolWait(), o.toolResult(), o.usage(), o.limit()
	if r.subagent = o.subagent(); r.subagent != nil && r.each != nil {
		d.wrong(n, at, "a rule with subagent is of the whole frame, and has no each")
	}
	o.yes("ignore")
	if len(n.Content) == 0 || len(n.Content) == 2 && o.get("when") != nil {
		d.wrong(n, at, "the rule does nothing; a known type without a meaning has ignore: true")
	}
	return r, true
}

// start reads "start: true" or "start: {name: PATH}".
func (o *object) start() *start {
	n := o.get("start")
	switch {
	case n == nil:
		return nil
	case n.Kind == yaml.ScalarNode:
		if o.yes("start") {
			return &start{}
		}
		return nil
	}
	s, ok := o.doc.object(n, o.below("start"), "name")
	if !ok {
		return nil
	}
	return &start{name: s.places("name")}
}

// user reads "user: PATH" or "user: {path: PATH, without: …}".
func (o *object) user() (u userText) {
	n := o.get("user")
	if n == nil || n.Kind != yaml.MappingNode {
		return userText{path: o.places("user")}
	}
	t, ok := o.doc.object(n, o.below("user"), "path", "without")
	if !ok {
		return u
	}
	u.path = t.need("path")
	if w := t.get("without"); w != nil {
		u.without = o.doc.regex(w, t.below("without"))
	}
	return u
}

// output reads "text: PATH" or "text: {path: PATH, mode: …, key: PATH}".
func (o *object) output(key string) *text {
	n := o.get(key)
	if n == nil {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return &text{path: o.places(key)}
	}
	t, ok := o.doc.object(n, o.below(key), "path", "mode", "key")
	if !ok {
		return nil
	}
	out := &text{path: t.need("path"), key: t.places("key")}
	switch t.choice("mode", "delta", "snapshot", "whole") {
	case "snapshot":
		out.mode = snapshot
	case "whole":
		out.mode = whole
	}
	return out
}

// child returns the object at a key with the keys that it may have, nil if there is none or it is wrong.
func (o *object) child(key string, keys ...string) *object {
	n := o.get(key)
	if n == nil {
		return nil
	}
	c, ok := o.doc.object(n, o.below(key), keys...)
	if !ok {
		return nil
	}
	return &c
}

// need reads places for a required key.
func (o *object) need(key string) places {
	if o.get(key) == nil {
		o.doc.wrong(o.node, o.at, "the key %q is missing", key)
	}
	return o.places(key)
}

func (o *object) toolCall() *toolCall {
	t := o.child("tool_call", "id", "name", "arguments", "arguments_delta")
	if t == nil {
		return nil
	}
	return &toolCall{id: t.places("id"), name: t.places("name"), arguments: t.places("arguments"), delta: t.places("arguments_delta")}
}

func (o *object) toolResult() *toolResult {
	t := o.child("tool_result", "id", "name", "output", "error")
	if t == nil {
		return nil
	}
	return &toolResult{id: t.places("id"), name: t.places("name"), output: t.places("output"), err: t.places("error")}
}

func (o *object) usage() *usage {
	n := o.get("usage")
	if n == nil {
		return nil
	}
	u, ok := o.doc.object(n, o.below("usage"), "mode", "input", "cache_read", "cache_write", "cache_write_1h", "output",
		"reasoning", "total", "input_includes_cache", "output_includes_reasoning", "id", "model", "provider",
		"repeats")
	if !ok {
		return nil
	}
	out := &usage{
		input: u.places("input"), cacheRead: u.places("cache_read"), cacheWrite: u.places("cache_write"),
		cacheWrite1h: u.places("cache_write_1h"), output: u.places("output"), reasoning: u.places("reasoning"), total: u.places("total"),
		id: u.places("id"), model: u.places("model"), provider: u.places("provider"),
		inputIncludesCache: u.yes("input_includes_cache"), repeats: u.yes("repeats"),
	}
	switch u.choice("output_includes_reasoning", "true", "false", "total") {
	case "true":
		out.outputIncludesReasoning = true
	case "total":
		if out.outputByTotal = true; out.total == nil {
			o.doc.wrong(n, u.at, `output_includes_reasoning: total needs the key "total"`)
		}
	}
	if out.input == nil && out.output == nil {
		o.doc.wrong(n, u.at, `the keys "input" and "output" are missing: at least one is needed`)
	}
	switch u.choice("mode", "add", "last", "cumulative") {
	case "":
		if u.get("mode") == nil {
			o.doc.wrong(n, u.at, `the key "mode" is missing: add, last or cumulative`)
		}
	case "last":
		out.mode = lastUsage
	case "cumulative":
		out.mode = cumulativeUsage
	}
	return out
}

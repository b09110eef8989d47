package custom_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/ingest/dialect/custom"
	"tapedeck/schema"
)

// spans returns the spans of an outcome, each with its parent.
func spans(t *testing.T, rules, text string) (got []string) {
	t.Helper()
	o := decode(t, rules, text)
	names := map[string]string{"": "-"}
	for _, s := range o.Facts.Spans {
		names[s.ID] = string(s.Kind) + " " + s.Name
	}
	for _, s := range o.Facts.Spans {
		got = append(got, fmt.Sprintf("%s %s %s below %s", s.Kind, s.Name, s.Status, names[s.Parent]))
	}
	slices.Sort(got)
	return got
}

// TestSubagents checks below what sub-agents are, and what ends them.
func TestSubagents(t *testing.T) {
	const rules = `
  - {when: {t: b}, start: true}
  - {when: {t: begin}, subagent: {id: a, call: c, name: n}}
  - {when: {t: done}, subagent: {id: a}, end: ok}
  - {when: {t: failed}, subagent: {id: a}, error: why, end: error}
  - {when: {t: call}, tool_call: {id: c, name: n}}
  - {when: {t: ret}, tool_result: {id: c, output: o}}
  - {when: {t: e}, end: ok}
`
	got := spans(t, rules, strings.Join([]string{
		`{"t":"b"}`, `{"t":"call","c":"1","n":"task"}`,
		`{"t":"begin","a":"x","c":"1","n":"one"}`,
		`{"t":"begin","a":"y","c":"none","n":"two"}`,
		`{"t":"failed","a":"y","why":"no"}`,
		`{"t":"failed","a":"y","why":"again"}`,
		`{"t":"done","a":"x"}`,
		`{"t":"ret","c":"1","o":"ok"}`,
		`{"t":"begin","a":"z","n":"three"}`,
		`{"t":"e"}`,
	}, "\n")+"\n")
	want := []string{
		"node one ok below tool task", "node three unclosed below run ", "node two error below run ",
		"run  ok below -", "tool task ok below run ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
}

// TestManySubagents checks that sub-agents are bounded, and the oldest is forgotten.
func TestManySubagents(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"t":"b"}` + "\n")
	for i := range 100 {
		fmt.Fprintf(&text, `{"t":"begin","a":"%d","n":"x"}`+"\n", i)
	}
	text.WriteString(`{"t":"done","a":"99"}` + "\n")
	got := spans(t, "  - {when: {t: b}, start: true}\n  - {when: {t: begin}, subagent: {id: a, name: n}}\n  - {when: {t: done}, subagent: {id: a}, end: ok}\n", text.String())
	count := map[string]int{}
	for _, s := range got {
		count[s]++
	}
	if count["node x unclosed below run "] != 99 || count["node x ok below run "] != 1 {
		t.Errorf("%v", count)
	}
}

// TestPatternAndIndexConditions checks the conditions on texts that do not match and on the last of several.
func TestPatternAndIndexConditions(t *testing.T) {
	for _, test := range []struct {
		when, frame string
		want        bool
	}{
		{"{s: {not_regex: '^skill-'}}", `{}`, true},
		{"{s: {not_regex: '^skill-'}}", `{"s":"cli"}`, true},
		{"{s: {not_regex: '^skill-'}}", `{"s":"skill-a"}`, false},
		{"{s: {exists: true, not_regex: '^skill-'}}", `{}`, false},
		{"{'s[*]': {exists: true, not_regex: '^skill-'}}", `{"s":["skill-a","b"]}`, true},
		{"{'s[*]': {exists: true, not_regex: '^skill-'}}", `{"s":["skill-a"]}`, false},
		{"{i: {last_of: n}}", `{"i":1,"n":2}`, true},
		{"{i: {last_of: n}}", `{"i":0,"n":2}`, false},
		{"{i: {last_of: n}}", `{"i":2,"n":2}`, false},
		{"{i: {last_of: n}}", `{"i":0}`, false},
		{"{i: {last_of: n}}", `{"n":1}`, false},
		{"{i: {last_of: n}}", `{"i":"x","n":1}`, false},
		{"{i: {last_of: n}}", `{"i":0,"n":0}`, false},
	} {
		o := decode(t, "  - {when: "+test.when+", ignore: true}\n", test.frame+"\n")
		if got := !o.Frames[0].Flags.Has(schema.FlagUnknownType); got != test.want {
			t.Errorf("%s of %s: %v", test.when, test.frame, got)
		}
	}
}

// TestUserWithout checks what is left of a text of the user.
func TestUserWithout(t *testing.T) {
	o := decode(t, "  - {when: {t: u}, start: true, user: {path: 'x[*]', without: '(?s)<r>.*?</r>'}}\n",
		`{"t":"u","x":["<r>a</r> b","<r>c</r>"]}`+"\n"+`{"t":"u","x":["<r>a</r>"]}`+"\n")
	if m := o.Facts.Messages; len(m) != 1 || m[0].Text != "b" {
		t.Errorf("%+v", m)
	}
}

// TestConstantError checks that a constant states that a call failed, with its output as the reason.
func TestConstantError(t *testing.T) {
	o := decode(t, "  - {when: {t: r}, tool_result: {id: c, output: o, error: =true}}\n  - {when: {t: s}, tool_result: {id: c, output: o, error: =bad}}\n",
		`{"t":"r","c":"1","o":"no file"}`+"\n"+`{"t":"s","c":"2","o":"x"}`+"\n")
	reasons := map[string]string{}
	for _, s := range o.Facts.Spans {
		if s.Kind == schema.SpanTool {
			reasons[s.CallID] = string(s.Status) + " " + s.Error
		}
	}
	if diff := cmp.Diff(map[string]string{"1": "error no file", "2": "error bad"}, reasons); diff != "" {
		t.Error(diff)
	}
}

// TestSubagentProblems checks the errors of the keys of sub-agents and waits.
func TestSubagentProblems(t *testing.T) {
	for rule, want := range map[string]string{
		"{each: 'x[*]', subagent: {id: a}}":          "rules[0]: a rule with subagent is of the whole frame, and has no each",
		"{subagent: {call: a}}":                      `rules[0].subagent: the key "id" is missing`,
		"{tool_wait: {id: a, state: over}}":          `rules[0].tool_wait.state: "over" is not one of begins, ends, refused`,
		"{tool_wait: {state: ends}}":                 `rules[0].tool_wait: the key "id" is missing`,
		"{user: {path: a, without: '('}}":            "rules[0].user.without: error parsing regexp",
		"{when: {a: {not_regex: '('}}, start: true}": "rules[0].when.a.not_regex: error parsing regexp",
	} {
		if _, err := custom.Parse("f.yaml", []byte("name: x\nrules:\n  - "+rule+"\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", rule, err, want)
		}
	}
}

package custom_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/custom"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	exampleFile   = "../../../docs/dialects/custom/acme.yaml"
	exampleStream = "../../../docs/dialects/custom/acme.ndjson"
)

func example(t testing.TB) dialect.Dialect {
	t.Helper()
	m, err := custom.ReadFile(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
	return m.Dialect()
}

func TestCases(t *testing.T) { dialecttest.Run(t, example(t), "testdata/cases") }

func FuzzDecode(f *testing.F) { dialecttest.Fuzz(f, example(f), "testdata/cases") }

// lines makes a frame of each line, 10 ms apart.
func lines(text string) (frames []schema.Frame) {
	for line := range strings.Lines(text) {
		n := uint64(len(frames))
		frames = append(frames, schema.Frame{Seq: n, At: dialecttest.Start + int64(n)*10e6, Transport: schema.NDJSON, Raw: []byte(line)})
	}
	return frames
}

// play decodes lines with a mapping.
func play(t *testing.T, d dialect.Dialect, text string) *dialecttest.Outcome {
	t.Helper()
	frames := lines(text)
	o, err := dialecttest.Play(d, frames, frames[len(frames)-1].At, func(int) (bool, bool) { return true, true })
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestExample checks the example in the documentation.
func TestExample(t *testing.T) {
	text, err := os.ReadFile(exampleStream)
	if err != nil {
		t.Fatal(err)
	}
	d := example(t)
	o := play(t, d, string(text))
	var got []string
	for _, s := range o.Facts.Spans {
		got = append(got, fmt.Sprintf("%s %s %s %d..%d %s", s.Kind, s.Name, s.Status, (s.Started-dialecttest.Start)/1e6, (s.Ended-dialecttest.Start)/1e6, s.Error))
	}
	for _, m := range o.Facts.Messages {
		got = append(got, fmt.Sprintf("%s %s %q %v", m.Kind, m.Name, m.Text, m.Complete))
	}
	for _, u := range o.Facts.Usages {
		got = append(got, fmt.Sprintf("usage %s %+v total %d", u.Mode, u.Tokens, u.Total))
	}
	slices.Sort(got)
	want := []string{
		`run  ok 0..100 `,
		`llm acme-large-2 ok 0..40 `,
		`tool weather ok 40..50 `, `tool clock error 40..60 no clock`,
		`user  "How warm is it in Oslo?" true`,
		`thinking  "Look it up." true`, `assistant  "I will look." true`, `assistant  "It is 4 °C." true`,
		`tool_arguments weather "{\"city\":\"Oslo\"}" true`, `tool_arguments clock "{}" true`,
		`tool_result weather "{\"celsius\":4}" true`, `tool_result clock "no clock" true`,
		`usage add {Input:308 CacheRead:512 CacheWrite5m:0 CacheWrite1h:0 Output:52 Reasoning:9} total 881`,
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	for _, f := range o.Frames {
		if f.Session != "c-7" || f.Flags.Has(schema.FlagUnknownType) {
			t.Errorf("frame %d: session %q, flags %s", f.Seq, f.Session, f.Flags)
		}
	}
}

// decode decodes lines with rules. The mapping has a type at "t".
func decode(t *testing.T, rules, text string) *dialecttest.Outcome {
	t.Helper()
	m, err := custom.Parse("x.yaml", []byte("name: x\ntype: t\nsession: s\nrun: r\nrules:\n"+rules))
	if err != nil {
		t.Fatal(err)
	}
	return play(t, m.Dialect(), text)
}

// TestUsageModes checks which of several reports count, and in which buckets.
func TestUsageModes(t *testing.T) {
	const text = `{"t":"b"}` + "\n" + `{"t":"u","id":"1","in":10,"c":4,"out":3,"th":1}` + "\n" +
		`{"t":"u","id":"2","in":20,"c":0,"out":5,"th":2}` + "\n" + `{"t":"u","id":"2","in":30,"c":6,"out":7,"th":2,"all":37,"sum":39}` + "\n" +
		`{"t":"u"}` + "\n" + `{"t":"e"}` + "\n"
	for _, test := range []struct {
		name, usage string
		want        []string
	}{
		{"add", "mode: add, input: in, output: out", []string{"add 10/0/3/0", "add 20/0/5/0", "add 30/0/7/0"}},
		{"add by id", "mode: add, input: in, output: out, id: id", []string{"add 10/0/3/0", "add 30/0/7/0"}},
		{"last", "mode: last, input: in, output: out, cache_read: c", []string{"add 30/6/7/0"}},
		{"cumulative", "mode: cumulative, input: in, output: out", []string{"running 10/0/3/0", "running 20/0/5/0", "running 30/0/7/0"}},
		{"cache inside", "mode: last, input: in, cache_read: c, input_includes_cache: true, output: out", []string{"add 24/6/7/0"}},
		{"reasoning inside", "mode: last, input: in, output: out, reasoning: th, output_includes_reasoning: true", []string{"add 30/0/5/2"}},
		{"reasoning inside, by the total", "mode: last, input: in, output: out, reasoning: th, total: all, output_includes_reasoning: total", []string{"add 30/0/5/2"}},
		{"cache and reasoning inside, by the total", "mode: last, input: in, cache_read: c, input_includes_cache: true, output: out, reasoning: th, total: all, output_includes_reasoning: total", []string{"add 24/6/5/2"}},
		{"reasoning beside, by the total", "mode: last, input: in, output: out, reasoning: th, total: sum, output_includes_reasoning: total", []string{"add 30/0/7/2"}},
		{"reasoning beside", "mode: last, input: in, output: out, reasoning: th", []string{"add 30/0/7/2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := decode(t, "  - {when: {t: b}, start: true}\n  - {when: {t: e}, end: ok}\n  - {when: {t: u}, usage: {"+test.usage+"}}\n", text)
			var got []string
			scopes := map[string]bool{}
			for _, u := range o.Facts.Usages {
				got = append(got, fmt.Sprintf("%s %d/%d/%d/%d", u.Mode, u.Tokens.Input, u.Tokens.CacheRead, u.Tokens.Output, u.Tokens.Reasoning))
				scopes[u.Scope] = true
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if scopesWanted := len(test.want); test.name == "cumulative" && len(scopes) != 1 || test.name != "cumulative" && len(scopes) != scopesWanted {
				t.Errorf("scopes %v", scopes)
			}
		})
	}
}

// TestUsageRepeats checks that a report that two rules read counts once in each call of the model.
func TestUsageRepeats(t *testing.T) {
	const rules = "  - {when: {t: s}, call: start}\n" +
		"  - {when: {t: u}, usage: {mode: add, input: in, repeats: true}}\n" +
		"  - {when: {t: v}, usage: {mode: add, input: in, repeats: true}}\n"
	for _, test := range []struct {
		name string
		text []string
		want []uint64
	}{
		{"by both rules", []string{"s", "u10", "v10"}, []uint64{10}},
		{"in the other order", []string{"s", "v10", "u10"}, []uint64{10}},
		{"by one rule", []string{"s", "u10", "u10"}, []uint64{10, 10}},
		{"once", []string{"s", "u10", "v10", "v10"}, []uint64{10, 10}},
		{"with other tokens", []string{"s", "u10", "v20"}, []uint64{10, 20}},
		{"in another call", []string{"s", "u10", "s", "v10"}, []uint64{10, 10}},
	} {
		var text strings.Builder
		for _, frame := range test.text {
			fmt.Fprintf(&text, `{"t":%q,"in":%q}`+"\n", frame[:1], frame[1:])
		}
		var got []uint64
		for _, u := range decode(t, rules, text.String()).Facts.Usages {
			got = append(got, u.Tokens.Input)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

// TestConditions checks which frames a rule applies to.
func TestConditions(t *testing.T) {
	for _, test := range []struct {
		when, frame string
		holds       bool
	}{
		{"a: x", `{"a":"x"}`, true}, {"a: x", `{"a":"y"}`, false}, {"a: x", `{}`, false},
		{"a: 1", `{"a":1}`, true}, {"a: true", `{"a":true}`, true}, {"a: true", `{"a":false}`, false},
		{"a: {in: [x, y]}", `{"a":"y"}`, true}, {"a: {in: [x, y]}", `{"a":"z"}`, false},
		{"a: {exists: true}", `{"a":0}`, true}, {"a: {exists: true}", `{"a":null}`, false},
		{"a: {exists: false}", `{}`, true}, {"a: {exists: false}", `{"a":1}`, false}, {"a: null", `{"a":null}`, true},
		{"a: {not: x}", `{"a":"y"}`, true}, {"a: {not: x}", `{}`, true}, {"a: {not: [x, y]}", `{"a":"y"}`, false},
		{"a: {regex: '^x'}", `{"a":"xy"}`, true}, {"a: {regex: '^x'}", `{"a":"yx"}`, false},
		{"a: {regex: '^x', not: xx}", `{"a":"xx"}`, false},
		{"a: x\n      b: y", `{"a":"x","b":"y"}`, true}, {"a: x\n      b: y", `{"a":"x"}`, false},
		{"a.b[1].c: x", `{"a":{"b":[0,{"c":"x"}]}}`, true}, {"a[*].b: x", `{"a":[{"b":"y"},{"b":"x"}]}`, true},
		{"a[*].b: x", `{"a":[{"b":"y"}]}`, false}, {`'a["b.c"]': x`, `{"a":{"b.c":"x"}}`, true},
		{"$.a: x", `{"a":"x"}`, true}, {"$direction: receive", `{}`, true}, {"$event: {exists: false}", `{}`, true},
	} {
		o := decode(t, "  - when:\n      "+test.when+"\n    ignore: true\n", test.frame+"\n")
		if held := !o.Frames[0].Flags.Has(schema.FlagUnknownType); held != test.holds {
			t.Errorf("%s of %s is %v", test.when, test.frame, held)
		}
	}
}

// TestMembers checks rules for each member of an object, and the name of the member.
func TestMembers(t *testing.T) {
	o := decode(t, "  - {when: {t: b}, start: true}\n  - {each: 'models[*]', when: {$.t: u}, usage: {mode: add, input: u.in, model: $key}}\n",
		`{"t":"b"}`+"\n"+`{"t":"u","models":{"m-1":{"u":{"in":5}},"m-2":{"u":{"in":7}},"m-3":null}}`+"\n")
	var got []string
	for _, u := range o.Facts.Usages {
		got = append(got, fmt.Sprintf("%s %d", u.Model, u.Tokens.Input))
	}
	if want := []string{"m-1 5", "m-2 7"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestHistory checks that a history has no time to the first token, and ids that follow from its
// lines: a stream that has the lines at other places has the same ids.
func TestHistory(t *testing.T) {
	m, err := custom.Parse("x.yaml", []byte("name: x\nhistory: true\ntime: at\nrules:\n  - {when: {u: {exists: true}}, start: true, user: u, call: start}\n"+
		"  - {when: {a: {exists: true}}, text: {path: a, mode: whole}, call: end, end: ok}\n"))
	if err != nil {
		t.Fatal(err)
	}
	const text = `{"at":"2026-01-01T00:00:00Z","u":"Hi"}` + "\n" + `{"at":"2026-01-01T00:00:09Z","a":"Hello"}` + "\n"
	one, other := play(t, m.Dialect(), text), play(t, m.Dialect(), "{}\n"+text)
	if len(one.Facts.Spans) != 2 || len(other.Facts.Spans) != 2 {
		t.Fatalf("%d and %d spans, want 2", len(one.Facts.Spans), len(other.Facts.Spans))
	}
	for i, s := range one.Facts.Spans {
		if s.ID != other.Facts.Spans[i].ID || s.FirstToken != 0 {
			t.Errorf("%s: id %s and %s, first token %d", s.Kind, s.ID, other.Facts.Spans[i].ID, s.FirstToken)
		}
	}
}

// TestRunsBeside checks that concurrent runs are separated by their ids.
func TestRunsBeside(t *testing.T) {
	o := decode(t, "  - {when: {t: b}, start: true}\n  - {when: {t: x}, text: x}\n  - {when: {t: e}, end: ok}\n",
		`{"t":"b","s":"1","r":"A"}`+"\n"+`{"t":"b","s":"1","r":"B"}`+"\n"+`{"t":"x","r":"A","x":"a1"}`+"\n"+`{"t":"x","r":"B","x":"b"}`+"\n"+
			`{"t":"x","r":"A","x":"a2"}`+"\n"+`{"t":"e","r":"B"}`+"\n"+`{"t":"e","r":"A"}`+"\n"+`{"t":"e","r":"A"}`+"\n")
	var got []string
	for _, s := range o.Facts.Spans {
		got = append(got, string(s.Kind)+" "+s.Run+" "+string(s.Status))
	}
	for _, m := range o.Facts.Messages {
		got = append(got, m.Run+" "+m.Text+" "+m.Session)
	}
	if want := []string{"run A ok", "run B ok", "A a1a2 1", "B b 1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTexts checks how the parts of a message are joined.
func TestTexts(t *testing.T) {
	for mode, want := range map[string]string{
		"delta": "a,ab,abc", "snapshot": "abc", "whole": "a|ab|abc",
	} {
		text := strings.ReplaceAll(`{"x":"a#"}`+"\n"+`{"x":"ab#"}`+"\n"+`{"x":"abc"}`+"\n", "#", map[string]string{"delta": ","}[mode])
		o := decode(t, "  - {when: {x: {exists: true}}, text: {path: x, mode: "+mode+"}}\n", text)
		var got []string
		for _, m := range o.Facts.Messages {
			got = append(got, m.Text)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s: %q, want %q", mode, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	text, err := os.ReadFile(exampleFile)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text, []byte(`{"ev":"say"}`))
	f.Fuzz(func(t *testing.T, file, frame []byte) {
		m, err := custom.Parse("f.yaml", file)
		if err != nil || bytes.ContainsAny(frame, "\n") || len(frame) == 0 {
			return
		}
		frames := lines(string(frame) + "\n" + string(frame) + "\n")
		if _, err := dialecttest.Play(m.Dialect(), frames, frames[1].At, func(int) (bool, bool) { return true, true }); err != nil {
			t.Fatal(err)
		}
	})
}

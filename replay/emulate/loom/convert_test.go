package loom_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"tapedeck/replay/emulate/loom"
)

// Events in the specification's form and in the single-key form.
var forms = [][2]string{
	{`{"type":"run_start","run_id":"r","message":"m","agent":"react"}`, `{"RunStart":{"run_id":"r","message":"m","agent":"react"}}`},
	{`{"type":"node_enter","id":"think"}`, `{"TaskStart":{"node_id":"think","namespace":null}}`},
	{`{"type":"node_enter","id":"think","namespace":"sub"}`, `{"TaskStart":{"node_id":"think","namespace":"sub"}}`},
	{`{"type":"node_exit","id":"act","result":{"Err":"boom"}}`, `{"TaskEnd":{"node_id":"act","result":{"Err":"boom"},"namespace":null}}`},
	{`{"type":"message_chunk","content":"hé\"\n","id":"think"}`, `{"Messages":{"chunk":{"content":"hé\"\n","kind":"Message"},"metadata":{"loom_node":"think","namespace":null}}}`},
	{`{"type":"thought_chunk","content":"h","id":"think"}`, `{"Messages":{"chunk":{"content":"h","kind":"Thinking"},"metadata":{"loom_node":"think","namespace":null}}}`},
	{`{"type":"usage","prompt_tokens":1,"completion_tokens":2,"total_tokens":3}`, `{"Usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`},
	{`{"type":"values","state":{"a":[1,2.50]}}`, `{"Values":{"a":[1,2.50]}}`},
	{`{"type":"updates","id":"think","state":{}}`, `{"Updates":{"node_id":"think","state":{},"namespace":null}}`},
	{`{"type":"custom","value":[1]}`, `{"Custom":[1]}`},
	{`{"type":"checkpoint","checkpoint_id":"c","timestamp":"t","step":1,"state":{},"thread_id":"t","checkpoint_ns":""}`,
		`{"Checkpoint":{"checkpoint_id":"c","timestamp":"t","step":1,"state":{},"thread_id":"t","checkpoint_ns":""}}`},
	{`{"type":"tot_expand","candidates":["a"]}`, `{"TotExpand":{"candidates":["a"]}}`},
	{`{"type":"got_node_start","id":"g"}`, `{"GotNodeStart":{"node_id":"g"}}`},
	{`{"type":"got_expand","node_id":"g","nodes_added":1,"edges_added":2}`, `{"GotExpand":{"node_id":"g","nodes_added":1,"edges_added":2}}`},
	{`{"type":"tool_call","call_id":"c","name":"n","arguments":{"a":1}}`, `{"ToolCall":{"call_id":"c","name":"n","arguments":{"a":1}}}`},
	{`{"type":"tool_end","call_id":null,"name":"n","result":"r","is_error":false}`, `{"ToolEnd":{"call_id":null,"name":"n","result":"r","is_error":false}}`},
}

func same(t *testing.T, got []byte, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		t.Fatalf("%s: %v", got, err)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(g, w) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestForms(t *testing.T) {
	for _, f := range forms {
		got, err := loom.ToExport([]byte(f[0]))
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, f[1])
		if got, err = loom.FromExport([]byte(f[1])); err != nil {
			t.Fatal(err)
		}
		same(t, got, f[0])
		run, event, err := loom.Unwrap(loom.Wrap("run-1", []byte(f[0])))
		if err != nil || run != "run-1" {
			t.Fatal(run, err)
		}
		same(t, event, f[0])
	}
	got, err := loom.ToExport([]byte(`{"session_id":"s","node_id":"run-think-0","event_id":3,"type":"tool_start","name":"n"}`))
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, `{"ToolStart":{"name":"n"}}`)
	if got, err := loom.ToExport([]byte(`{"type":"surprise"}`)); err == nil {
		t.Errorf("an unknown type became %s", got)
	}
	for _, wrong := range []string{``, `[]`, `{}`, `{"type":"usage"}`, `{"reply":"x"}`} {
		if got, err := loom.FromExport([]byte(wrong)); err == nil {
			t.Errorf("%q became %s", wrong, got)
		}
	}
}

func FuzzForms(f *testing.F) {
	for _, pair := range forms {
		f.Add(pair[0])
		f.Add(pair[1])
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !json.Valid([]byte(s)) {
			return // what is no JSON need not become any
		}
		if out, err := loom.ToExport([]byte(s)); err == nil && !json.Valid(out) {
			t.Errorf("%q became %q", s, out)
		}
		if out, err := loom.FromExport([]byte(s)); err == nil && !json.Valid(out) {
			t.Errorf("%q became %q", s, out)
		}
	})
}

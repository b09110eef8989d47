package clients

import (
	"encoding/json"
	"strings"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/tap/websocket"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/schema"
)

// requests are the requests of the recorded client, sent all at once.
var requests = []string{
	`{"type":"run","message":"one & two","agent":"react","thread_id":"t-1"}`,
	`{"type":"run","message":"three","agent":"dup","thread_id":"t-1"}`,
	`{"type":"tools_list","id":"tools-1"}`,
}

// recordLoom records a session with a server until its tools are listed.
func recordLoom(t *testing.T, address string, messages ...string) *ingesttest.Memory {
	t.Helper()
	memory := &ingesttest.Memory{}
	var send []websocket.Payload
	for _, m := range messages {
		send = append(send, websocket.Payload{Data: []byte(m)})
	}
	last := "tools_list"
	if !strings.Contains(messages[len(messages)-1], last) {
		last = "run_end"
	}
	_, err := websocket.Record(t.Context(), ingest.NewRecorder(memory, ingest.Settings{}),
		ingest.StreamOptions{Session: "loom", Dialect: "loom"},
		websocket.Options{URL: address, Send: send, Until: func(f *schema.Frame) bool {
			return f.Direction == schema.Receive && strings.HasPrefix(string(f.Raw), `{"type":"`+last+`"`)
		}})
	check(t, err)
	bounded.Wait(t, memory.Wait)
	return memory
}

// frame holds the members of a frame that must be equal when it is recorded again.
type frame struct {
	Direction schema.Direction
	Transport schema.Transport
	Flags     schema.Flags
	Type      string
	Raw       string
}

// framesOf lists a recording's frames, in one direction if any is named. How reads
// were split is left out: that is the network's.
func framesOf(memory *ingesttest.Memory, only ...schema.Direction) (list []frame) {
	for _, f := range memory.Frames(memory.Streams()[0]) {
		if len(only) == 0 || f.Direction == only[0] {
			list = append(list, frame{f.Direction, f.Transport, f.Flags &^ schema.FlagJoined, f.Type, string(f.Raw)})
		}
	}
	return list
}

// A session that is recorded from the emulation of a session is that session,
// frame for frame.
func TestLoomRecordedAgain(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	for name, messages := range map[string][]string{"one run": requests[:1], "several": requests} {
		t.Run(name, func(t *testing.T) {
			first := recordLoom(t, loomServer(t), messages...)
			a := emulate(t, "loom", tapeOf(t, first, "loom"))
			second := recordLoom(t, a.URL, messages...)
			if len(messages) == 1 { // what was sent and what came had one order
				same(t, framesOf(second), framesOf(first))
			}
			for _, d := range []schema.Direction{schema.Send, schema.Receive} {
				same(t, framesOf(second, d), framesOf(first, d))
			}
			if n := len(framesOf(first, schema.Receive)); n < 10 {
				t.Errorf("only %d frames were compared", n)
			}
			third := recordLoom(t, emulate(t, "loom", tapeOf(t, second, "loom")).URL, messages...)
			same(t, framesOf(third, schema.Receive), framesOf(first, schema.Receive))
		})
	}
}

type loomStep struct {
	Send   object   `json:"send,omitempty"`
	Raw    string   `json:"raw,omitempty"`
	Binary bool     `json:"binary,omitempty"`
	Until  []string `json:"until"` // types that end the answer
	want   []string // the answer, as JSON; of runs, all messages
}

// Each request of the guideline's table, from the ws package.
func TestLoomRequests(t *testing.T) {
	t.Parallel()
	run := func(request string, id, message string) loomStep {
		var o object
		check(t, json.Unmarshal([]byte(request), &o))
		return loomStep{Send: o, Until: []string{"run_end", "error"}, want: loomRun(id, message)}
	}
	answer := func(request, want string) loomStep {
		var o object
		check(t, json.Unmarshal([]byte(request), &o))
		return loomStep{Send: o, Until: []string{text(o, "type"), "pong", "error"}, want: []string{want}}
	}
	fails := func(raw string) loomStep {
		return loomStep{Raw: raw, Until: []string{"error"}, want: []string{"error"}}
	}
	said := func(role, content string) string { return `{"role":"` + role + `","content":"` + content + `"}` }
	all := []string{
		said("user", "one & two"), said("assistant", "You said: one & two"), said("user", "three"), said("assistant", "You said: three"),
	}
	messages := func(more string, list ...string) string {
		return `{"type":"user_messages","id":"m","thread_id":"t-1","messages":[` + strings.Join(list, ",") + `],"has_more":` + more + `}`
	}
	steps := []loomStep{
		answer(`{"type":"ping","id":"p-1"}`, `{"type":"pong","id":"p-1"}`),
		run(`{"type":"run","message":"what is asked","agent":"react","id":"mine","thread_id":"other","working_folder":"/w","verbose":true}`, "run-1", "one & two"),
		fails(`{"type":"run","agent":"react"`),
		fails(`{"type":"no_such_request","id":"x"}`),
		fails(`{"id":"no type"}`),
		fails(`[]`),
		answer(`{"type":"tools_list","id":"l","working_folder":"/w","thread_id":"t"}`, loomTools("l")),
		answer(`{"type":"tool_show","id":"s","name":"read","output":"json"}`, `{"type":"tool_show","id":"s","tool":`+loomReadTool+`}`),
		answer(`{"type":"tool_show","id":"none","name":"no_such_tool"}`, `{"type":"error","id":"none","error":"tool not found: no_such_tool"}`),
		fails(`{"type":"tool_show","id":"s","name":"read","output":"xml"}`),
		fails(`{"type":"tool_show","id":"s"}`),
		answer(`{"type":"user_messages","id":"m","thread_id":"t-1"}`, messages("false", all...)),
		answer(`{"type":"user_messages","id":"m","thread_id":"t-1","limit":2}`, messages("true", all[2:]...)),
		answer(`{"type":"user_messages","id":"m","thread_id":"t-1","limit":2,"before":3}`, messages("false", all[:2]...)),
		answer(`{"type":"user_messages","id":"m","thread_id":"t-1","limit":1,"before":4}`, messages("true", all[2:3]...)),
		answer(`{"type":"user_messages","id":"u","thread_id":"no such thread"}`, `{"type":"user_messages","id":"u","thread_id":"no such thread","messages":[],"has_more":false}`),
		fails(`{"type":"user_messages","id":"u","thread_id":""}`),
		fails(`{"type":"user_messages","id":"u"}`),
		{Raw: `{"type":"ping","id":"bytes"}`, Binary: true, Until: []string{"pong", "error"}, want: []string{`{"type":"pong","id":"bytes"}`}},
		fails("\xff\xfe"),
		run(`{"type":"run","message":"again","agent":"got","got_adaptive":true}`, "run-2", "three"),
		fails(`{"type":"run","message":"a third was not recorded","agent":"tot"}`),
		answer(`{"type":"ping","id":"still here"}`, `{"type":"pong","id":"still here"}`),
		{Send: object{"type": "tool_show", "id": "y", "name": "read"}, Until: []string{"tool_show", "error"}, want: []string{"yaml"}},
	}
	stdin, err := json.Marshal(steps)
	check(t, err)
	path := tapeOf(t, recordLoom(t, loomServer(t), requests...), "loom")
	var got struct {
		Answers [][]struct {
			Text   string `json:"text"`
			Binary bool   `json:"binary"`
		} `json:"answers"`
		Closed *int `json:"closed"`
	}
	node(t, &got, stdin, "loom.mjs", emulate(t, "loom", path).URL)
	if len(got.Answers) != len(steps) || got.Closed != nil {
		t.Fatalf("%d answers to %d requests; the connection was closed with %v", len(got.Answers), len(steps), got.Closed)
	}
	for i, step := range steps {
		var texts []string
		for _, m := range got.Answers[i] {
			texts = append(texts, m.Text)
			if m.Binary {
				t.Errorf("request %d: an answer of bytes", i)
			}
		}
		var o object
		switch {
		case len(texts) == 0:
			t.Errorf("request %d was not answered", i)
		case step.want[0] == "error":
			if err := json.Unmarshal([]byte(texts[0]), &o); err != nil || len(texts) > 1 || text(o, "type") != "error" || text(o, "error") == "" {
				t.Errorf("request %d, %s: got %q", i, step.Raw, texts)
			}
		case step.want[0] == "yaml":
			const want = "name: read\n"
			if err := json.Unmarshal([]byte(texts[0]), &o); err != nil || !strings.HasPrefix(text(o, "tool_yaml"), want) || at(o, "tool") != nil {
				t.Errorf("request %d: got %q", i, texts)
			}
		default: // to the byte
			same(t, texts, step.want)
		}
	}
}

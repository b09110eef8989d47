package loom_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"tapedeck/ingest/dialect/dialects/dialectstest"
	"tapedeck/replay/emulate"
	et "tapedeck/replay/emulate/emulatetest"
	"tapedeck/replay/emulate/loom"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

const ms = time.Millisecond

func handler(tape *replaytest.Tape) http.Handler {
	stage := et.Stage(tape)
	s := loom.New(stage)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t, err := stage.Tape(r.Context(), "default", replaytest.Session)
		var pace emulate.Pacing
		if err == nil {
			err = pace.SetAll(r.URL.Query())
		}
		if err != nil {
			stage.Refuse(w, r, "test", err)
			return
		}
		s.Serve(w, r, "default", replaytest.Session, t, pace)
	})
}

// client is one connection. Its messages are waited for a minute.
type client struct {
	t     *testing.T
	conn  *websocket.Conn
	start time.Time
}

func dial(t *testing.T, h *http.Client, url string) *client {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{HTTPClient: h})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.CloseNow() })
	return &client{t: t, conn: conn}
}

func (c *client) say(message string) {
	c.t.Helper()
	c.start = time.Now()
	if err := c.conn.Write(c.t.Context(), websocket.MessageText, []byte(message)); err != nil {
		c.t.Fatal(err)
	}
}

// hear returns a message, with the time since the last that was said.
func (c *client) hear() string {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	_, data, err := c.conn.Read(ctx)
	if err != nil {
		return "closed " + fmt.Sprint(int(websocket.CloseStatus(err)))
	}
	return fmt.Sprintf("%d %s", time.Since(c.start).Milliseconds(), data)
}

func (c *client) want(messages ...string) {
	c.t.Helper()
	for _, want := range messages {
		if got := c.hear(); got != want {
			c.t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// ask says something and wants one answer, whenever.
func (c *client) ask(message, want string) {
	c.t.Helper()
	c.say(message)
	if _, got, _ := strings.Cut(c.hear(), " "); got != want {
		c.t.Errorf("%s\ngot  %s\nwant %s", message, got, want)
	}
}

func event(run string, id int, rest string) string {
	return fmt.Sprintf(`{"type":"run_stream_event","id":"%s","event":{"session_id":"%s","event_id":%d,%s}}`, run, run, id, rest)
}

// recorded is a WebSocket with three runs: of two in a thread the second fails,
// and so does the third, after which the connection is over.
func recorded() *replaytest.Tape {
	tape := &replaytest.Tape{Decode: dialectstest.Decode}
	s := tape.Stream(schema.WebSocket, "loom")
	s.Add(0, `{"type":"tools_list","id":"l"}`, et.Sent).
		Add(0, `{"type":"tools_list","id":"l","tools":[{"name":"read","description":"Reads: a file","input_schema":{"type":"object","required":[]}}]}`).
		Add(time.Second, `{"type":"run","message":"one","agent":"react","thread_id":"t"}`, et.Sent).
		Add(1200*ms, event("run-a", 1, `"type":"node_enter","id":"think"`)).
		Add(1500*ms, event("run-a", 2, `"type":"message_chunk","content":"1","id":"think"`)).
		Add(1600*ms, `{"type":"run_end","id":"run-a","reply":"1","reasoning_content":"r"}`).
		Add(9*time.Second, `{"type":"run","message":[{"type":"text","text":"two"}],"agent":"react","thread_id":"t"}`, et.Sent).
		Add(9100*ms, event("run-b", 1, `"type":"tool_call","call_id":null,"name":"sh","arguments":{"cmd":"ls","n":1}`)).
		Add(9200*ms, `{"type":"error","id":"run-b","error":"no"}`).
		Add(20*time.Second, `{"type":"run","message":"three","agent":"react"}`, et.Sent).
		Add(20*time.Second, `{"type":"error","id":"run-c","error":"failed"}`)
	return tape
}

func TestRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := et.ServePipe(t, handler(recorded()))
		c := dial(t, h, et.Base)
		run := `{"type":"run","message":"x","agent":"react","id":"mine"}`
		c.say(run)
		c.want("200 "+event("run-a", 1, `"type":"node_enter","id":"think"`),
			"500 "+event("run-a", 2, `"type":"message_chunk","content":"1","id":"think"`),
			`600 {"type":"run_end","id":"run-a","reply":"1","reasoning_content":"r"}`)
		time.Sleep(time.Hour) // virtual time: the connection is idle
		c.say(run)
		c.say(`{"type":"ping","id":"p"}`) // waits its turn
		c.want("100 "+event("run-b", 1, `"type":"tool_call","call_id":null,"name":"sh","arguments":{"cmd":"ls","n":1}`),
			`200 {"type":"error","id":"run-b","error":"no"}`, `200 {"type":"pong","id":"p"}`)
		c.say(run)
		c.want(`0 {"type":"error","id":"run-c","error":"failed"}`, "closed 1000")

		// The next connection goes on, the one after it begins anew.
		c = dial(t, h, et.Base)
		c.say(run)
		c.want(`0 {"type":"error","error":"all 3 recorded runs of session \"session\" were played"}`)
		c = dial(t, h, et.Base+"?speed=2&idle_limit=200ms")
		c.say(run)
		c.want("100 "+event("run-a", 1, `"type":"node_enter","id":"think"`),
			"200 "+event("run-a", 2, `"type":"message_chunk","content":"1","id":"think"`))
		c.say(`{"type":"cancel_run","id":"x","run_id":"run-a"}`)
		c.want(`0 {"type":"error","id":"run-a","error":"run cancelled"}`, `0 {"type":"cancel_run","id":"x","run_id":"run-a","success":true}`)
	})
}

func TestPace(t *testing.T) {
	base := et.Serve(t, handler(recorded()))
	begins := func(query, message, want string) {
		t.Helper()
		c := dial(t, nil, base+"?speed=max&"+query)
		c.say(fmt.Sprintf(`{"type":"run","message":%q,"agent":"a"}`, message))
		if got := c.hear(); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
	begins("from=%2B5s", "x", `"id":"run-b"`)
	begins("from=%2B1.4s", "x", `"event_id":2`)
	begins("take=a", "x", `"id":"run-a"`)
	begins("take=a", "x", `"id":"run-b"`)
	begins("match=body", "two", `"id":"run-b"`)
	begins("match=body", "four", `has this message`)
	begins("end=again", "x", `"id":"run-a"`)
}

func TestRequests(t *testing.T) {
	base := et.Serve(t, handler(recorded()))
	c := dial(t, nil, base+"?speed=max")
	c.ask(`{"type":"ping","id":"7"}`, `{"type":"pong","id":"7"}`)
	c.ask(`{"type":"tools_list","id":"a","working_folder":null}`,
		`{"type":"tools_list","id":"a","tools":[{"name":"read","description":"Reads: a file","input_schema":{"type":"object","required":[]}}]}`)
	c.ask(`{"type":"tool_show","id":"b","name":"read","output":"json"}`,
		`{"type":"tool_show","id":"b","tool":{"name":"read","description":"Reads: a file","input_schema":{"type":"object","required":[]}}}`)
	c.ask(`{"type":"tool_show","id":"c","name":"read"}`,
		`{"type":"tool_show","id":"c","tool_yaml":"name: read\ndescription: \"Reads: a file\"\ninput_schema:\n  type: object\n  required: []\n"}`)
	c.ask(`{"type":"tool_show","id":"d","name":"sh","output":"json"}`,
		`{"type":"tool_show","id":"d","tool":{"name":"sh","input_schema":{"type":"object","properties":{"cmd":{"type":"string"},"n":{"type":"number"}}}}}`)
	c.ask(`{"type":"tool_show","id":"e","name":"none"}`, `{"type":"error","id":"e","error":"tool not found: none"}`)
	all := `{"role":"user","content":"one"},{"role":"assistant","content":"1"},{"role":"user","content":"two"}`
	c.ask(`{"type":"user_messages","id":"f","thread_id":"t"}`,
		`{"type":"user_messages","id":"f","thread_id":"t","messages":[`+all+`],"has_more":false}`)
	c.ask(`{"type":"user_messages","id":"f","thread_id":"t","limit":1}`,
		`{"type":"user_messages","id":"f","thread_id":"t","messages":[{"role":"user","content":"two"}],"has_more":true}`)
	c.ask(`{"type":"user_messages","id":"f","thread_id":"t","limit":2,"before":3}`,
		`{"type":"user_messages","id":"f","thread_id":"t","messages":[{"role":"user","content":"one"},{"role":"assistant","content":"1"}],"has_more":false}`)
	c.ask(`{"type":"user_messages","id":"f","thread_id":"t","before":1}`,
		`{"type":"user_messages","id":"f","thread_id":"t","messages":[],"has_more":false}`)
	c.ask(`{"type":"user_messages","id":"f","thread_id":"other"}`,
		`{"type":"user_messages","id":"f","thread_id":"other","messages":[],"has_more":false}`)
	c.ask(`{"type":"user_messages","id":"f","thread_id":""}`, `{"type":"error","id":"f","error":"thread_id is required"}`)
	for _, wrong := range []string{
		`{`, `[]`, `{}`, `{"type":7}`, `{"type":"surprise","id":"x"}`, `{"type":"run"}`, `{"type":"run","message":"x"}`, `{"type":"ping"}`,
		`{"type":"user_messages","id":"x"}`, `{"type":"user_messages","id":"x","thread_id":"t","limit":-1}`, `{"type":"tool_show","id":"x","name":"read","output":"xml"}`,
	} {
		c.say(wrong)
		if got := c.hear(); !strings.Contains(got, `{"type":"error","error":"parse error: `) {
			t.Errorf("%s: got %s", wrong, got)
		}
	}
	if err := c.conn.Write(t.Context(), websocket.MessageBinary, []byte(`{"type":"ping","id":"last"}`)); err != nil {
		t.Fatal(err)
	}
	if got := c.hear(); !strings.HasSuffix(got, `{"type":"pong","id":"last"}`) {
		t.Errorf("a binary request: got %s", got)
	}
}

// Requests about agents, models and workspaces have the answer that was recorded, else one with what the
// requests of the runs name.
func TestListings(t *testing.T) {
	tape := recorded()
	tape.Stream(schema.WebSocket, "loom").
		Add(30*time.Second, `{"type":"run","message":"m","agent":"dev","model":"acme/large","thread_id":"u"}`, et.Sent).
		Add(30*time.Second, event("run-m", 1, `"type":"node_enter","id":"think"`)).
		Add(31*time.Second, `{"type":"run_end","id":"run-m","reply":"m"}`)
	c := dial(t, nil, et.Serve(t, handler(tape))+"?speed=max")
	c.ask(`{"type":"agent_list","id":"1","source_filter":"user"}`,
		`{"type":"agent_list","id":"1","agents":[{"name":"react","description":null,"source":"builtin"},{"name":"dev","description":null,"source":"builtin"}]}`)
	c.ask(`{"type":"list_models","id":"2"}`, `{"type":"list_models","id":"2","models":[{"id":"acme/large","name":"acme/large","provider":"acme"}]}`)
	c.ask(`{"type":"set_model","id":"3","model_id":"acme/large","session_id":"s"}`, `{"type":"set_model","id":"3","success":true}`)
	begun := fmt.Sprint((replaytest.Start + int64(time.Second)) / int64(ms))
	space := `{"id":"recording","name":"recording","created_at_ms":` + begun + `}`
	c.ask(`{"type":"workspace_list","id":"4"}`, `{"type":"workspace_list","id":"4","workspaces":[`+space+`]}`)
	c.ask(`{"type":"workspace_create","id":"5","name":"n"}`, `{"type":"workspace_create","id":"5","workspace_id":"recording","workspace":`+space+`}`)
	c.ask(`{"type":"workspace_thread_list","id":"6","workspace_id":"recording"}`,
		`{"type":"workspace_thread_list","id":"6","workspace_id":"recording","threads":[{"thread_id":"t","created_at_ms":`+begun+`},{"thread_id":"u","created_at_ms":`+
			fmt.Sprint((replaytest.Start+int64(30*time.Second))/int64(ms))+`}]}`)
	c.ask(`{"type":"workspace_thread_list","id":"6","workspace_id":"other"}`, `{"type":"workspace_thread_list","id":"6","workspace_id":"other","threads":[]}`)
	c.ask(`{"type":"workspace_thread_add","id":"7","workspace_id":"recording","thread_id":"v"}`, `{"type":"workspace_thread_add","id":"7","workspace_id":"recording","thread_id":"v"}`)
	c.ask(`{"type":"workspace_thread_remove","id":"8","workspace_id":"recording","thread_id":"v"}`, `{"type":"workspace_thread_remove","id":"8","workspace_id":"recording","thread_id":"v"}`)
	c.ask(`{"type":"cancel_run","id":"9","run_id":"run-a"}`, `{"type":"cancel_run","id":"9","run_id":"run-a","success":true}`)
	c.ask(`{"type":"set_model","id":"x"}`, "{\"type\":\"error\",\"error\":\"parse error: missing field `model_id`\"}")

	tape = recorded()
	tape.Stream(schema.WebSocket, "loom").
		Add(30*time.Second, `{"type":"models_list","id":"m","models":[{"id":"a"}]}`).
		Add(30*time.Second, `{"type":"agent_list","id":"n","agents":[]}`)
	c = dial(t, nil, et.Serve(t, handler(tape))+"?speed=max")
	c.ask(`{"type":"list_models","id":"1"}`, `{"type":"models_list","id":"1","models":[{"id":"a"}]}`)
	c.ask(`{"type":"agent_list","id":"2"}`, `{"type":"agent_list","id":"2","agents":[]}`)
}

// What was recorded as lines is wrapped, and has an end.
func TestLines(t *testing.T) {
	for name, tc := range map[string]struct {
		lines, want []string
	}{
		"typed": {[]string{
			`{"session_id":"run-1","event_id":1,"type":"node_enter","id":"think"}`,
			`{"session_id":"chat","event_id":2,"reply":"hi","stop_reason":"end_turn"}`,
			`{"session_id":"run-2","event_id":1,"type":"node_enter","id":"think"}`,
			`{"session_id":"run-2","event_id":2,"reply":"","stop_reason":"cancelled"}`,
		}, []string{
			`{"type":"run_stream_event","id":"run-1","event":{"session_id":"run-1","event_id":1,"type":"node_enter","id":"think"}}`,
			`{"type":"run_end","id":"run-1","session_id":"chat","event_id":2,"reply":"hi"}`,
			`{"type":"run_stream_event","id":"run-2","event":{"session_id":"run-2","event_id":1,"type":"node_enter","id":"think"}}`,
			`{"type":"error","id":"run-2","error":"run cancelled"}`,
		}},
		"single key": {[]string{
			`{"TaskStart":{"node_id":"think","namespace":null}}`,
			`{"Messages":{"chunk":{"content":"hi","kind":"Message"},"metadata":{"loom_node":"think","namespace":null}}}`,
			`{"Usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`,
			`{"TaskEnd":{"node_id":"think","result":"Ok","namespace":null}}`,
		}, []string{
			`{"type":"run_stream_event","id":"run-STREAM","event":{"type":"node_enter","id":"think"}}`,
			`{"type":"run_stream_event","id":"run-STREAM","event":{"type":"message_chunk","content":"hi","id":"think"}}`,
			`{"type":"run_stream_event","id":"run-STREAM","event":{"type":"usage","prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`,
			`{"type":"run_stream_event","id":"run-STREAM","event":{"type":"node_exit","id":"think","result":"Ok"}}`,
			`{"type":"run_end","id":"run-STREAM","reply":"hi","usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3},"total_usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`,
		}},
		"one object": {[]string{
			`{"events":[{"type":"node_enter","id":"think"},{"TaskEnd":{"node_id":"think","result":"Ok"}}],"reply":{"reply":"x","session_id":"s"}}`,
		}, []string{
			`{"type":"run_stream_event","id":"run-STREAM","event":{"type":"node_enter","id":"think"}}`,
			`{"type":"run_stream_event","id":"run-STREAM","event":{"type":"node_exit","id":"think","result":"Ok"}}`,
			`{"type":"run_end","id":"run-STREAM","reply":"x","session_id":"s"}`,
		}},
		"failed": {[]string{
			`{"type":"node_enter","id":"act"}`, `{"type":"node_exit","id":"act","result":{"Err":"boom"}}`,
		}, []string{
			`{"type":"run_stream_event","id":"run-STREAM","event":{"type":"node_enter","id":"act"}}`,
			`{"type":"run_stream_event","id":"run-STREAM","event":{"type":"node_exit","id":"act","result":{"Err":"boom"}}}`,
			`{"type":"error","id":"run-STREAM","error":"boom"}`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			tape := &replaytest.Tape{Decode: dialectstest.Decode}
			s := tape.Stream(schema.NDJSON, "loom")
			for i, line := range tc.lines {
				s.Add(time.Duration(i)*ms, line+"\n")
			}
			c := dial(t, nil, et.Serve(t, handler(tape)))
			var got []string
			for len(got) < len(tc.want) {
				c.say(`{"type":"run","message":"x","agent":"react"}`)
				for {
					_, m, _ := strings.Cut(c.hear(), " ")
					got = append(got, m)
					if !strings.HasPrefix(m, `{"type":"run_stream_event"`) {
						break
					}
				}
			}
			for i := range tc.want {
				tc.want[i] = strings.ReplaceAll(tc.want[i], "STREAM", s.ID())
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got  %s\nwant %s", strings.Join(got, "\n"), strings.Join(tc.want, "\n"))
			}
		})
	}
}

func TestNothingOfLoom(t *testing.T) {
	tape := &replaytest.Tape{Decode: dialectstest.Decode}
	tape.Stream(schema.NDJSON, "generic").Add(0, "{}\n")
	_, res, err := websocket.Dial(t.Context(), et.Serve(t, handler(tape)), nil)
	if err == nil || res == nil || res.StatusCode != 409 {
		t.Errorf("got %v, %v", res, err)
	}
}

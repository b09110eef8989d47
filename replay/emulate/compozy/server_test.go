package compozy_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/ingest/dialect/dialects/dialectstest"
	"tapedeck/internal/budget"
	"tapedeck/replay/emulate"
	"tapedeck/replay/emulate/compozy"
	et "tapedeck/replay/emulate/emulatetest"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

type sessions map[string]string

func (s sessions) SessionOfRun(_ context.Context, _, run string) (string, error) { return s[run], nil }

func handler(tape *replaytest.Tape, change ...func(*emulate.Options)) http.Handler {
	s := compozy.New(et.Stage(tape, change...), sessions{"exec-1": replaytest.Session})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.Serve(w, r, "default", r.URL.Path) })
}

// get returns the status, the fields and what is read when, in ms.
func get(t *testing.T, client *http.Client, path string, fields ...string) (*http.Response, []string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", et.Base+"/api/v0/executions/"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(fields); i += 2 {
		req.Header.Set(fields[i], fields[i+1])
	}
	start := time.Now()
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	got, err := et.Reads(res, start)
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
	return res, got
}

func sse(id int, name, data string) string {
	return fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", id, name, data)
}

// workflow is one that was recorded, over two connections.
func workflow() *replaytest.Tape {
	tape := &replaytest.Tape{Decode: dialectstest.Decode}
	of := et.Typed("", "exec-1")
	tape.Stream(schema.SSE, "compozy").
		Add(0, sse(1, "workflow_start", `{"workflow_id":"w","execution_id":"exec-1"}`), of).
		Add(15*time.Second, ": ping\n\n", of, func(f *schema.Frame) { f.Flags |= schema.FlagNote }).
		Add(20*time.Second, sse(2, "workflow_status", `{"status":"RUNNING"}`), of)
	tape.Stream(schema.SSE, "compozy").
		Add(21*time.Second, sse(2, "workflow_status", `{"status":"RUNNING"}`), of).
		Add(22*time.Second, sse(3, "complete", `{"status":"SUCCESS"}`), of)
	return tape
}

func TestRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := et.ServePipe(t, handler(workflow()))
		one, two, three := sse(1, "workflow_start", `{"workflow_id":"w","execution_id":"exec-1"}`), sse(2, "workflow_status", `{"status":"RUNNING"}`), sse(3, "complete", `{"status":"SUCCESS"}`)
		for _, tc := range []struct {
			query  string
			fields []string
			want   []string
		}{
			{"", nil, []string{"0 " + one, "15000 : ping\n\n", "20000 " + two, "22000 " + three}},
			{"?speed=max&poll_ms=250", nil, []string{"0 " + one, "0 " + two, "0 " + three}},
			{"?speed=2&events=complete,error", nil, []string{"11000 " + three}},
			{"?idle_limit=1s", nil, []string{"0 " + one, "1000 " + two, "3000 " + three}},
			{"", []string{"Last-Event-ID", "2"}, []string{"2000 " + three}},
			{"", []string{"Last-Event-ID", "3"}, nil},
			{"?from=%2B19s", nil, []string{"1000 " + two, "3000 " + three}},
		} {
			res, got := get(t, client, "workflows/exec-1/stream"+tc.query, tc.fields...)
			if !slices.Equal(got, tc.want) {
				t.Errorf("%s %q: got %q\nwant %q", tc.query, tc.fields, got, tc.want)
			}
			for name, want := range map[string]string{
				"Content-Type": "text/event-stream", "Cache-Control": "no-cache", "X-Accel-Buffering": "no", "Access-Control-Allow-Origin": "*",
			} {
				if res.Header.Get(name) != want {
					t.Errorf("%s is %q", name, res.Header.Get(name))
				}
			}
		}
	})
}

func TestRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := et.ServePipe(t, handler(workflow()))
		for path, want := range map[string]int{
			"workflows/none/stream": 404, "plans/exec-1/stream": 404, "workflows/exec-1": 404,
			"tasks/exec-1/stream?poll_ms=249": 400, "tasks/exec-1/stream?poll_ms=2001": 400, "tasks/exec-1/stream?poll_ms=x": 400,
			"agents/exec-1/stream?events=complete,nothing": 400, "agents/exec-1/stream?speed=0": 400,
			"agents/exec-1/stream?speed=max&poll_ms=2000&token=x": 200,
		} {
			if res, got := get(t, client, path); res.StatusCode != want {
				t.Errorf("%s: %d %s", path, res.StatusCode, got)
			}
		}
		for _, id := range []string{"x", "-1", "1.5"} {
			if res, _ := get(t, client, "workflows/exec-1/stream", "Last-Event-ID", id); res.StatusCode != 400 {
				t.Errorf("Last-Event-ID %s: %d", id, res.StatusCode)
			}
		}
		if res, _ := get(t, client, "workflows/exec-1/stream", "Origin", "https://foreign.example"); res.StatusCode != 403 {
			t.Errorf("a foreign page: %d", res.StatusCode)
		}
	})
}

// At a session's own address its executions are served, and no others.
func TestSession(t *testing.T) {
	other := &replaytest.Tape{Decode: dialectstest.Decode}
	other.Stream(schema.NDJSON, "loom").Add(0, `{"type":"message_chunk","content":"hi"}`+"\n", et.Typed("message_chunk", "run-1"))
	for _, tc := range []struct {
		tape   *replaytest.Tape
		exec   string
		status int
	}{
		{workflow(), "exec-1", 200}, {workflow(), replaytest.Session, 200}, {workflow(), "exec-2", 404},
		{other, replaytest.Session, 200}, {other, "run-1", 404},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := compozy.New(et.Stage(tc.tape), nil)
			client := et.ServePipe(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				s.ServeSession(w, r, "default", replaytest.Session, r.URL.Path, tc.tape, emulate.Pacing{})
			}))
			if res, got := get(t, client, "tasks/"+tc.exec+"/stream?speed=max"); res.StatusCode != tc.status || len(got) == 0 {
				t.Errorf("%s: %d %q", tc.exec, res.StatusCode, got)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := &replaytest.Tape{Decode: dialectstest.Decode}
		tape.Stream(schema.SSE, "compozy").Add(0, sse(1, "status", "{}")).
			Add(727*time.Second, sse(2, "status", "{}")).Add(794*time.Second, sse(3, "complete", "{}"))
		client := et.ServePipe(t, handler(tape, func(o *emulate.Options) { o.Budget = budget.New(budget.Options{Readers: 1}) }))
		done := make(chan []string)
		go func() {
			_, got := get(t, client, "tasks/session/stream")
			done <- got
		}()
		synctest.Wait()
		if res, _ := get(t, client, "tasks/session/stream"); res.StatusCode != 503 || res.Header.Get("Retry-After") == "" {
			t.Errorf("one too many: %d", res.StatusCode)
		}
		start := time.Now()
		got := <-done
		if took := time.Since(start); took != 727*time.Second || len(got) < 47 || len(got) > 50 || !strings.HasSuffix(got[len(got)-1], sse(2, "status", "{}")) {
			t.Errorf("a long one: %d reads in %s, at last %q", len(got), took, got[len(got)-1])
		}
		for _, c := range []struct {
			query, last string
			want        string
		}{
			{"", "1", "727000 " + sse(2, "status", "{}")}, // the silence is longer than a connection
			{"", "2", "67000 " + sse(3, "complete", "{}")},
			{"?events=complete", "", "794000 " + sse(3, "complete", "{}")},
		} {
			_, got := get(t, client, "tasks/session/stream"+c.query, "Last-Event-ID", c.last)
			if got[len(got)-1] != c.want {
				t.Errorf("%s after %q: at last %q, want %q", c.query, c.last, got[len(got)-1], c.want)
			}
		}
	})
}

func TestOtherProtocols(t *testing.T) {
	tape := &replaytest.Tape{Decode: dialectstest.Decode}
	tape.Stream(schema.NDJSON, "loom").
		Add(0, `{"type":"node_enter","id":"think"}`+"\n").
		Add(time.Second, `{"type":"message_chunk","content":"a\nb","id":"think"}`+"\n").
		Add(2*time.Second, `{"type":"tool_call","name":"ls","arguments":{"p":1}}`+"\n")
	ts := func(s string) string { return strings.ReplaceAll(s, "TS", "2026-01-02T03:04:0") }
	workflow := []string{
		"0 " + sse(1, "workflow_start", ts(`{"workflowId":"session","workflow_id":"session","execution_id":"session","ts":"TS5.123456789Z"}`)) +
			sse(2, "workflow_status", ts(`{"status":"RUNNING","ts":"TS5.123456789Z"}`)) +
			sse(3, "workflow_status", ts(`{"status":"RUNNING","step":"think","ts":"TS5.123456789Z"}`)),
		"1000 " + sse(4, "llm_chunk", ts(`{"content":"a\nb","ts":"TS6.123456789Z"}`)),
		"2000 " + sse(5, "tool_call", ts(`{"toolName":"ls","args":{"p":1},"ts":"TS7.123456789Z"}`)),
		"2000 " + sse(6, "complete", ts(`{"status":"SUCCESS","result":{"text":"a\nb"},"durationMs":2000,"ts":"TS7.123456789Z"}`)),
	}
	task := []string{
		"1000 id: 1\nevent: llm_chunk\ndata: a\ndata: b\n\n",
		"2000 " + sse(2, "tool_call", ts(`{"toolName":"ls","args":{"p":1},"ts":"TS7.123456789Z"}`)),
		"2000 " + sse(3, "complete", ts(`{"status":"SUCCESS","result":{"text":"a\nb"},"durationMs":2000,"ts":"TS7.123456789Z"}`)),
	}
	synctest.Test(t, func(t *testing.T) {
		client := et.ServePipe(t, handler(tape))
		for path, want := range map[string][]string{"workflows/session/stream": workflow, "tasks/session/stream": task} {
			if _, got := get(t, client, path); strings.Join(got, "|") != strings.Join(want, "|") {
				t.Errorf("%s: got\n%s\nwant\n%s", path, strings.Join(got, "|"), strings.Join(want, "|"))
			}
		}
		_, got := get(t, client, "tasks/session/stream", "Last-Event-ID", "1")
		if len(got) != 2 || !strings.HasPrefix(got[0], "1000 id: 2\n") {
			t.Errorf("resumed: %q", got)
		}
	})
}

// Of every protocol the text and the calls are found.
func TestReading(t *testing.T) {
	for dialect, frames := range map[string][]string{
		"anthropic-messages": {`{"type":"content_block_delta","delta":{"type":"text_delta","text":"hi"}}`,
			`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","name":"ls"}}`,
			`{"type":"content_block_delta","index":1,"delta":{"partial_json":"{}"}}`, `{"type":"content_block_stop","index":1}`},
		"anthropic-agent": {`{"type":"text","agent":"a","final":true,"delta":"hi"}`, `{"type":"tool_call","agent":"a","id":"a","name":"ls","final":true,"delta":"{}"}`},
		"openai-chat": {`{"choices":[{"delta":{"content":"hi"}}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"ls","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`},
		"openai-responses": {`{"type":"response.output_text.delta","delta":"hi"}`,
			`{"type":"response.output_item.done","item":{"type":"function_call","name":"ls","arguments":"{}"}}`},
		"ag-ui":       {`{"type":"TEXT_MESSAGE_CONTENT","delta":"hi"}`, `{"type":"TOOL_CALL_START","toolCallId":"1","toolCallName":"ls"}`, `{"type":"TOOL_CALL_END","toolCallId":"1"}`},
		"vercel-ui":   {`{"type":"text-delta","delta":"hi"}`, `{"type":"tool-input-available","toolName":"ls","input":{}}`},
		"gemini":      {`{"candidates":[{"content":{"parts":[{"text":"hi"},{"functionCall":{"name":"ls","args":{}}}]}}]}`},
		"claude-code": {`{"type":"assistant","message":{"content":[{"type":"text","text":"hi"},{"type":"tool_use","name":"ls","input":{}}]}}`},
		"gemini-cli":  {`{"type":"message","role":"assistant","content":"hi"}`, `{"type":"tool_use","tool_name":"ls","parameters":{}}`},
		"codex":       {`{"type":"item.completed","item":{"type":"agent_message","text":"hi"}}`, `{"type":"item.started","item":{"type":"mcp_tool_call","tool":"ls","arguments":{}}}`},
		"opencode":    {`{"type":"text","part":{"text":"hi"}}`, `{"type":"tool_use","part":{"tool":"ls","state":{"input":{}}}}`},
		"loom":        {`{"Messages":{"chunk":{"content":"hi"}}}`, `{"ToolCall":{"name":"ls","arguments":{}}}`},
	} {
		tape := &replaytest.Tape{Decode: dialectstest.Decode}
		s := tape.Stream(schema.NDJSON, dialect)
		for _, f := range frames {
			s.Add(0, f+"\n")
		}
		synctest.Test(t, func(t *testing.T) {
			_, got := get(t, et.ServePipe(t, handler(tape)), "tasks/session/stream?speed=max")
			all := strings.Join(got, "")
			if !strings.Contains(all, "event: llm_chunk\ndata: hi\n\n") || !strings.Contains(all, `{"toolName":"ls","args":{}`) {
				t.Errorf("%s: %q", dialect, got)
			}
		})
	}
}

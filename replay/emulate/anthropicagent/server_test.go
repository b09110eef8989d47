package anthropicagent_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/replay/emulate"
	"tapedeck/replay/emulate/anthropicagent"
	et "tapedeck/replay/emulate/emulatetest"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

const ms = time.Millisecond

func handler(tape *replaytest.Tape) http.Handler {
	stage := et.Stage(tape)
	s := anthropicagent.New(stage)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t, err := stage.Tape(r.Context(), "default", replaytest.Session)
		var pacing emulate.Pacing
		if err == nil {
			err = pacing.SetAll(r.URL.Query())
		}
		if err != nil {
			stage.Refuse(w, r, "test", err)
			return
		}
		s.Serve(w, r, "default", replaytest.Session, r.URL.Path, t, pacing)
	})
}

func run(t *testing.T, url string) (int, string, error) {
	t.Helper()
	res, err := http.Post(url+"/agent/run?speed=max", "application/json", strings.NewReader(`{"user_prompt":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return res.StatusCode, string(text), err
}

func TestConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := &replaytest.Tape{}
		a := `data: {"type":"text","agent":"a","final":false,"delta":"x"}` + "\n\n"
		tape.Stream(schema.SSE, "anthropic-agent").
			Add(time.Second, a).Add(1500*ms, "data: [DONE]\n\n").Add(time.Hour, a).Add(time.Hour+100*ms, a)
		client := et.ServePipe(t, handler(tape))
		for _, want := range [][]string{{"0 " + a, "500 data: [DONE]\n\n"}, {"0 " + a, "100 " + a, "100 data: [DONE]\n\n"}} {
			start := time.Now()
			res, err := client.Post(et.Base+"/agent/run", "", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := et.Reads(res, start)
			res.Body.Close()
			if len(got) == 2 && len(want) == 3 {
				want = []string{want[0], want[1] + "data: [DONE]\n\n"}
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("got %q, %v, want %q", got, err, want)
			}
		}
		res, err := client.Post(et.Base+"/agent/run?end=stop", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != 409 {
			t.Errorf("a third: %d", res.StatusCode)
		}
	})
}

// What was recorded as lines is cut up: on characters, and to no more than the
// limit.
func TestChunks(t *testing.T) {
	tape := &replaytest.Tape{}
	delta := strings.Repeat("é\"\x1b€😀x", 700)
	line, err := json.Marshal(map[string]any{"type": "tool_result", "agent": "a", "final": true, "id": "i", "name": "n", "delta": delta})
	if err != nil {
		t.Fatal(err)
	}
	tape.Stream(schema.NDJSON, "anthropic-agent").Add(0, string(line)+"\n")
	status, body, err := run(t, et.Serve(t, handler(tape)))
	if err != nil || status != 200 {
		t.Fatal(status, err)
	}
	events := strings.Split(strings.TrimSuffix(body, "\n\n"), "\n\n")
	var joined string
	for i, e := range events[:len(events)-1] {
		var env struct {
			Type, Agent, ID, Name, Delta string
			Final                        bool
		}
		data := strings.TrimPrefix(e, "data: ")
		if err := json.Unmarshal([]byte(data), &env); err != nil {
			t.Fatal(err)
		}
		if len(data) > anthropicagent.MaxChunk || !utf8.ValidString(data) || env.Final != (i == len(events)-2) || env.ID != "i" || env.Name != "n" {
			t.Errorf("envelope %d of %d bytes: %.80s", i, len(data), data)
		}
		joined += env.Delta
	}
	if joined != delta || events[len(events)-1] != "data: [DONE]" || len(events) < 5 {
		t.Errorf("%d envelopes do not add up", len(events))
	}
}

func TestConversion(t *testing.T) {
	tape := &replaytest.Tape{}
	ask := func(at time.Duration, body string, answer ...string) {
		s := et.Asked(tape, at, "POST /v1/messages", nil, body)
		et.Head(s, at, "200 OK", "Content-Type: text/event-stream")
		for _, line := range answer {
			s.Add(at, "data: "+line+"\n\n", et.Over(schema.SSE))
		}
		s.Dialect("anthropic-messages")
	}
	ask(0, `{"messages":[{"role":"user","content":"List"}]}`,
		`{"type":"message_start","message":{"model":"claude","usage":{"input_tokens":10,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"ls","input":{}}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"p\":1}"}}`,
		`{"type":"content_block_stop","index":1}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":7}}`, `{"type":"message_stop"}`)
	ask(time.Second, `{"messages":[{"role":"user","content":"List"},{"role":"assistant","content":[]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA"}}]}]}]}`,
		`{"type":"message_start","message":{"model":"claude","usage":{"input_tokens":20,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Done\u001b"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"page_location","cited_text":"c","document_index":0,"document_title":null}}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}`, `{"type":"message_stop"}`)
	status, body, err := run(t, et.Serve(t, handler(tape)))
	if err != nil || status != 200 {
		t.Fatal(status, body, err)
	}
	_, rest, _ := strings.Cut(body, `"agent":"`)
	agent, _, _ := strings.Cut(rest, `"`)
	got := strings.Split(strings.ReplaceAll(body, agent, "A"), "\n\n")
	want := []string{
		`data: {"type":"meta_init","agent":"A","final":true,"delta":"{\"format\":\"json\",\"user_query\":\"List\",\"agent_uuid\":\"A\",\"model\":\"claude\"}"}`,
		`data: {"type":"thinking","agent":"A","final":false,"delta":"Hm"}`,
		`data: {"type":"thinking","agent":"A","final":true,"delta":""}`,
		`data: {"type":"tool_call","agent":"A","final":true,"id":"toolu_1","name":"ls","delta":"{\"p\":1}"}`,
		`data: {"type":"tool_result","agent":"A","final":false,"id":"toolu_1","name":"ls","delta":"a"}`,
		`data: {"type":"tool_result_image","agent":"A","final":false,"id":"toolu_1","name":"ls","src":"data:image/png;base64,AA","media_type":"image/png","delta":""}`,
		`data: {"type":"tool_result","agent":"A","final":true,"id":"toolu_1","name":"ls","delta":""}`,
		`data: {"type":"text","agent":"A","final":false,"delta":"Done\u001b"}`,
		`data: {"type":"text","agent":"A","final":true,"delta":""}`,
		`data: {"type":"citation","agent":"A","final":true,"delta":"c","citation_type":"page_location","document_index":0}`,
		`data: {"type":"meta_final","agent":"A","final":true,"delta":"{\"stop_reason\":\"end_turn\",\"total_steps\":2,\"generated_files\":null,\"cost\":null,\"cumulative_usage\":{\"input_tokens\":30,\"output_tokens\":10,\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0}}"}`,
		`data: [DONE]`, ``,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Requests that call no model are no part of a conversation, and are no reason to refuse it.
func TestOtherRequests(t *testing.T) {
	tape := &replaytest.Tape{}
	ask := func(at time.Duration, line, body string, answer ...string) {
		s := et.Asked(tape, at, line, nil, body)
		et.Head(s, at, "200 OK")
		for _, line := range answer {
			s.Add(at, line, et.Over(schema.NDJSON))
		}
		s.Dialect("anthropic-messages")
	}
	const counted = `{"model":"claude","messages":[{"role":"user","content":"Count"}]}`
	ask(0, "GET /v1/models", "", `{"data":[{"type":"model","id":"claude"}]}`)
	ask(time.Second, "POST /v1/messages?beta=true", `{"messages":[{"role":"user","content":"Hello"}]}`)
	ask(2*time.Second, "POST /v1/messages/count_tokens?beta=true", counted, `{"input_tokens":14}`)
	ask(3*time.Second, "POST /v1/messages", "",
		`{"type":"message_start","message":{"model":"claude","usage":{"input_tokens":10,"output_tokens":1}}}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}`, `{"type":"message_stop"}`)
	status, body, err := run(t, et.Serve(t, handler(tape)))
	if err != nil || status != 200 || !strings.Contains(body, `\"user_query\":\"Hello\"`) || !strings.Contains(body, `\"total_steps\":1,`) {
		t.Errorf("%d %s, %v", status, body, err)
	}
}

func TestRefused(t *testing.T) {
	for name, tc := range map[string]struct{ dialect, frame, why string }{
		"another protocol": {"loom", `{"type":"node_enter","id":"think"}`, "loom"},
		"a lost block":     {"anthropic-messages", `{"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"x"}}`, "redacted_thinking"},
	} {
		tape := &replaytest.Tape{}
		tape.Stream(schema.NDJSON, tc.dialect).Add(0, `{"type":"message_start","message":{}}`+"\n").Add(0, tc.frame+"\n")
		status, body, err := run(t, et.Serve(t, handler(tape)))
		if err != nil || status != 409 || !strings.Contains(body, "without loss") || !strings.Contains(body, tc.why) {
			t.Errorf("%s: %d %s %v", name, status, body, err)
		}
	}
}

// A capture comes back byte for byte.
func TestCapture(t *testing.T) {
	text := dialecttest.Fixture(t, "anthropic_agent/json_envelope_scenarios.sse")
	tape := &replaytest.Tape{}
	s := tape.Stream(schema.SSE, "anthropic-agent")
	var want []string
	connection := ""
	for frame := range strings.SplitAfterSeq(string(text), "\n\n") {
		if strings.HasPrefix(frame, ":") && connection == "" {
			s.Add(0, frame, func(f *schema.Frame) { f.Flags |= schema.FlagNote })
			continue
		}
		s.Add(0, frame)
		if connection += frame; strings.HasPrefix(frame, "data: [DONE]") {
			want, connection = append(want, connection), ""
		}
	}
	if connection != "" {
		want = append(want, connection+"data: [DONE]\n\n")
	}
	base := et.Serve(t, handler(tape))
	for i := range want {
		if _, got, err := run(t, base); err != nil || got != want[i] {
			t.Errorf("connection %d (%v):\ngot  %q\nwant %q", i, err, got, want[i])
		}
	}
}

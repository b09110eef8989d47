package stdio

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"tapedeck/replay/emulate"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// What is no request is answered as JSON-RPC says, each kind is logged once, and the turns go on.
func TestBadInput(t *testing.T) {
	h := talk(t, tapeOf(t, prompted), Options{}, `
		0 > {."id":2,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}
		10 > {."id":2,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}
		20 > no JSON
		30 > []
		40 > {"id":9}
		50 > {."id":77,"result":{}}
		55 > {."id":77,"result":{}}
		60 > [{."id":3,"method":"session/new","params":{"cwd":"/a","mcpServers":[]}},{."id":4,"method":"nothing"},{."method":"nothing"}]
		65 > 
		200 > {."id":0,"result":{}}
		210 > {."id":0,"result":{}}
	`)
	h.hears(t, `
		10 < {."id":2,"error":{"code":-32600,"message":"A request with this id has no answer yet."}}
		20 < {."id":null,"error":{"code":-32700,"message":"The line is no JSON."}}
		30 < {."id":null,"error":{"code":-32600,"message":"The message is neither a request nor an answer."}}
		40 < {."id":9,"error":{"code":-32600,"message":"The message is neither a request nor an answer."}}
		50 < {."method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","n":1}}}
		60 < {."id":4,"error":{"code":-32601,"message":"Session \"session\" has no nothing recorded, only initialize, session/new, session/prompt."}}
		70 < {."id":3,"result":{"sessionId":"s1"}}
		75 < {."method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"available_commands_update"}}}
		100 < {."id":0,"method":"session/request_permission","params":{"sessionId":"s1","options":[]}}
		250 < {."method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","n":2}}}
		300 < {."id":2,"result":{"stopReason":"end_turn"}}
	`)
	if lines := strings.Count(h.log, "\n"); lines != 4 || strings.Count(h.log, "no request") != 1 {
		t.Errorf("log\n%s", h.log)
	}
}

// The recording has a batch, an answer without a request, a line that is no JSON, and an id that is used
// again.
func TestBadRecording(t *testing.T) {
	h := talk(t, tapeOf(t, `
		0 > {."id":1,"method":"a"}
		5 > [{."id":2,"method":"b"},{."id":3,"method":"c"}]
		10 < a line of a log
		20 < {."id":1,"result":"a"}
		30 < {."id":99,"result":"of none"}
		40 < [{."id":3,"result":"c"},{."id":2,"result":"b"}]
		50 > {."id":1,"method":"d"}
		60 < {."id":1,"result":"d"}
	`), Options{}, `
		0 > {."id":1,"method":"a"}
		100 > {."id":2,"method":"b"}
		200 > {."id":7,"method":"c"}
		300 > {."id":1,"method":"d"}
	`)
	h.hears(t, `
		20 < {."id":1,"result":"a"}
		135 < {."id":2,"result":"b"}
		205 < a line of a log
		225 < {."id":99,"result":"of none"}
		235 < {."id":7,"result":"c"}
		310 < {."id":1,"result":"d"}
	`)
}

// The client closes its input first: what it asked for is answered, but nothing waits for its answers.
func TestInputEnds(t *testing.T) {
	h := talk(t, tapeOf(t, prompted), Options{}, `
		0 > {."id":0,"method":"initialize"}
		5 > {."id":2,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}
		6 end
	`)
	h.hears(t, `
		20 < {."id":0,"result":{"protocolVersion":1,"agentCapabilities":{}}}
		55 < {."method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","n":1}}}
		105 < {."id":0,"method":"session/request_permission","params":{"sessionId":"s1","options":[]}}
	`)
	if h.exit != 0 || h.ended != 105*time.Millisecond {
		t.Errorf("exit code %d after %v", h.exit, h.ended)
	}
}

// A process that ended by itself before it had answered ends so, with its exit code.
func TestCrash(t *testing.T) {
	for reason, want := range map[string]int{"error: exit status 3": 3, "eof": 0, "error: exit status 143": 0} {
		h := talk(t, tapeOf(t, `
			0 > {."id":1,"method":"a"}
			10 < {."method":"log"}
			20 end `+reason), Options{}, `
			0 > {."id":1,"method":"a"}
			500 end
		`)
		h.hears(t, `10 < {."method":"log"}`)
		if crashed := h.ended < 500*time.Millisecond; h.exit != want || crashed != (want != 0) {
			t.Errorf("%s: exit code %d after %v, want %d", reason, h.exit, h.ended, want)
		}
	}
}

// A line of 17 MiB, recorded in pieces, has its bytes, and so has the client's.
func TestLongLines(t *testing.T) {
	text := strings.Repeat("x", 17<<20)
	request, result := `{"jsonrpc":"2.0","id":1,"method":"a","params":{"text":"`+text+`"}}`, `{"jsonrpc":"2.0","id":1,"result":"`+text+`"}`
	tape := &replaytest.Tape{}
	s := tape.Stream(schema.NDJSON, "")
	sent := func(f *schema.Frame) { f.Direction = schema.Send }
	piece := func(f *schema.Frame) { f.Flags |= schema.FlagOversize }
	s.Add(0, request[:16<<20], sent, piece).Add(0, request[16<<20:]+"\n", sent, piece)
	s.Add(time.Millisecond, result[:16<<20], piece).Add(time.Millisecond, result[16<<20:]+"\n", piece)
	rec, err := Read(t.Context(), tape, replaytest.Session)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := rec.Serve(t.Context(), strings.NewReader(request+"\n"), &out, Options{Pacing: emulate.Pacing{MatchBody: true}}); err != nil {
		t.Fatal(err)
	}
	if out.String() != result+"\n" {
		t.Errorf("received %d bytes, want %d", out.Len(), len(result)+1)
	}
}

// A line that was cut off with its process does not reach into the next one. The test reads whole
// lines: it sees the first when the second comes.
func TestCutOff(t *testing.T) {
	tape := tapeOf(t, prompted)
	s := tape.Stream(schema.NDJSON, "")
	s.Add(2*time.Second, `{"jsonrpc":"2.0","id":1,"method":"cut"}`+"\n", func(f *schema.Frame) { f.Direction = schema.Send })
	s.Add(2*time.Second, `{"jsonrpc":"2.0","id":1,"res`, func(f *schema.Frame) { f.Flags |= schema.FlagUnterminated })
	h := talk(t, tape, Options{}, `
		0 > {."id":1,"method":"cut"}
		10 > {."id":0,"method":"initialize"}
	`)
	h.hears(t, `
		30 < {."id":1,"res
		30 < {."id":0,"result":{"protocolVersion":1,"agentCapabilities":{}}}
	`)
}

// A line that is longer than the limit is refused, and the next one is read.
func TestTooLong(t *testing.T) {
	h := talk(t, tapeOf(t, prompted), Options{}, "0 > "+strings.Repeat("x", lineLimit+1)+"\n10 > {.\"id\":0,\"method\":\"initialize\"}")
	h.hears(t, `
		0 < {."id":null,"error":{"code":-32600,"message":"A line of more than 64 MiB is not read."}}
		30 < {."id":0,"result":{"protocolVersion":1,"agentCapabilities":{}}}
	`)
}

// A session of one direction cannot be played.
func TestOneWay(t *testing.T) {
	if _, err := Read(t.Context(), tapeOf(t, `0 < {."method":"log"}`), replaytest.Session); !errors.Is(err, ErrOneWay) {
		t.Errorf("error %v", err)
	}
}

// Of several processes the one that was recorded last answers, and then the process of the message before.
func TestProcesses(t *testing.T) {
	const first = `
		0 > {."id":0,"method":"initialize"}
		10 < {."id":0,"result":1}
		20 > {."id":1,"method":"session/new","params":{"cwd":"/a"}}
		30 < {."id":1,"result":{"sessionId":"s1"}}
		40 > {."id":2,"method":"session/prompt","params":{"sessionId":"s1","prompt":[1]}}
		50 < {."id":2,"result":{"stopReason":"end_turn"}}
	`
	h := talk(t, tapeOf(t, first, `
		1000 > {."id":0,"method":"initialize"}
		1010 < {."id":0,"result":2}
		1020 > {."id":1,"method":"session/load","params":{"sessionId":"s1","cwd":"/a"}}
		1030 < {."id":1,"result":{}}
		1040 > {."id":2,"method":"session/prompt","params":{"sessionId":"s1","prompt":[2]}}
		1050 < {."id":2,"result":{"stopReason":"refusal"}}
	`), Options{}, `
		0 > {."id":0,"method":"initialize"}
		100 > {."id":1,"method":"session/new","params":{"cwd":"/b"}}
		200 > {."id":2,"method":"session/prompt","params":{"sessionId":"s1","prompt":[3]}}
		300 > {."id":3,"method":"session/prompt","params":{"sessionId":"s1","prompt":[3]}}
	`)
	h.hears(t, `
		10 < {."id":0,"result":2}
		110 < {."id":1,"result":{"sessionId":"s1"}}
		210 < {."id":2,"result":{"stopReason":"end_turn"}}
		310 < {."id":3,"result":{"stopReason":"refusal"}}
	`)
}

// After the last recorded answer.
func TestEnd(t *testing.T) {
	const recorded = `
		0 > {."id":0,"method":"a","params":[1]}
		10 < {."id":0,"result":1}
		20 > {."id":1,"method":"a","params":[2]}
		30 < {."id":1,"result":2}
	`
	const stopped = `"error":{"code":-32602,"message":"Session \"session\" has a recorded 2 times, and all of it was played. --end again plays it once more."}`
	const client = `
		0 > {."id":0,"method":"a","params":[3]}
		100 > {."id":1,"method":"a","params":[3]}
		200 > {."id":2,"method":"a","params":[3]}
	`
	for end, want := range map[emulate.End]string{"": "200 < {.\"id\":2," + stopped + "}", emulate.Stop: "200 < {.\"id\":2," + stopped + "}",
		emulate.Again: `210 < {."id":2,"result":1}`, emulate.Last: `210 < {."id":2,"result":2}`} {
		h := talk(t, tapeOf(t, recorded), Options{Pacing: emulate.Pacing{End: end}}, client)
		h.hears(t, "10 < {.\"id\":0,\"result\":1}\n110 < {.\"id\":1,\"result\":2}\n"+want)
	}
	h := talk(t, tapeOf(t, recorded), Options{Pacing: emulate.Pacing{MatchBody: true}}, client[:len(client)/3])
	h.hears(t, `0 < {."id":0,"error":{"code":-32602,"message":"Session \"session\" has a recorded with other params only."}}`)
}

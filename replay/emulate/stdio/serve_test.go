package stdio

import (
	"testing"
	"time"

	"tapedeck/replay/emulate"
	"tapedeck/replay/player"
	"tapedeck/replay/replaytest"
)

// An agent of ACP that asks for a permission: the person took half a second in the recording.
const prompted = `
	0 > {."id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"a"}}}
	20 < {."id":0,"result":{"protocolVersion":1,"agentCapabilities":{}}}
	30 > {."id":1,"method":"session/new","params":{"cwd":"/a","mcpServers":[]}}
	40 < {."id":1,"result":{"sessionId":"s1"}}
	45 < {."method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"available_commands_update"}}}
	100 > {."id":2,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"first"}]}}
	150 < {."method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","n":1}}}
	200 < {."id":0,"method":"session/request_permission","params":{"sessionId":"s1","options":[]}}
	700 > {."id":0,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
	750 < {."method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","n":2}}}
	800 < {."id":2,"result":{"stopReason":"end_turn"}}
	1000 > {."id":3,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"second"}]}}
	1100 < {."method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","n":3}}}
	1300 < {."id":3,"result":{"stopReason":"end_turn"}}
`

func tapeOf(t *testing.T, scripts ...string) *replaytest.Tape {
	t.Helper()
	tape := &replaytest.Tape{}
	for _, script := range scripts {
		record(t, tape, script)
	}
	return tape
}

// Distances count from the request, and from the client's answer to what the agent asks; answers have the
// ids of the client.
func TestPrompt(t *testing.T) {
	h := talk(t, tapeOf(t, prompted), Options{}, `
		1000 > {."id":"i","method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"other"}}}
		1100 > {."id":"n","method":"session/new","params":{"cwd":"/elsewhere","mcpServers":[]}}
		2000 > {."id":"p","method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"anything"}]}}
		4000 > {."id":0,"result":{"outcome":{"outcome":"selected","optionId":"no"}}}
		5000 > {."id":3,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"more"}]}}
	`)
	h.hears(t, `
		1020 < {."id":"i","result":{"protocolVersion":1,"agentCapabilities":{}}}
		1110 < {."id":"n","result":{"sessionId":"s1"}}
		1115 < {."method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"available_commands_update"}}}
		2050 < {."method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","n":1}}}
		2100 < {."id":0,"method":"session/request_permission","params":{"sessionId":"s1","options":[]}}
		4050 < {."method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","n":2}}}
		4100 < {."id":"p","result":{"stopReason":"end_turn"}}
		5100 < {."method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","n":3}}}
		5300 < {."id":3,"result":{"stopReason":"end_turn"}}
	`)
	if h.exit != 0 || h.ended != 5300*time.Millisecond || h.log != "" {
		t.Errorf("exit code %d after %v, log %q", h.exit, h.ended, h.log)
	}
}

// A prompt with the text of a later one has that one's answer, whatever the order.
func TestSameParams(t *testing.T) {
	h := talk(t, tapeOf(t, prompted), Options{Pacing: emulate.Pacing{Speed: 2}}, `
		0 > {."id":7,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"second"}]}}
		200 > {."id":8,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"second"}]}}
	`)
	h.hears(t, `
		50 < {."method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","n":3}}}
		150 < {."id":7,"result":{"stopReason":"end_turn"}}
		250 < {."method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","n":3}}}
		350 < {."id":8,"result":{"stopReason":"end_turn"}}
	`)
}

// The longest silence, and no silence at all.
func TestPacing(t *testing.T) {
	const asks = `0 > {."id":3,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"second"}]}}`
	const update = `< {."method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","n":3}}}`
	h := talk(t, tapeOf(t, prompted), Options{Pacing: emulate.Pacing{IdleLimit: 150 * time.Millisecond}}, asks)
	h.hears(t, "100 "+update+"\n250 < {.\"id\":3,\"result\":{\"stopReason\":\"end_turn\"}}")
	h = talk(t, tapeOf(t, prompted), Options{Pacing: emulate.Pacing{Speed: player.Max}}, asks)
	h.hears(t, "0 "+update+"\n0 < {.\"id\":3,\"result\":{\"stopReason\":\"end_turn\"}}")
}

// A server of tools: calls are matched by tool and arguments, a progress token is the client's, and
// the server's own request after "initialized" is sent.
func TestTools(t *testing.T) {
	tape := tapeOf(t, `
		0 > {."id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
		10 < {."id":0,"result":{"protocolVersion":"2025-11-25"}}
		20 > {."method":"notifications/initialized"}
		25 < {."id":1,"method":"roots/list"}
		30 > {."id":1,"result":{"roots":[]}}
		50 > {."id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1},"_meta":{"progressToken":1}}}
		60 < {."method":"notifications/progress","params":{"progressToken":1,"progress":1}}
		60 > {."id":2,"method":"tools/call","params":{"name":"add","arguments":{"a":2}}}
		70 < {."id":2,"result":{"content":[{"type":"text","text":"2"}]}}
		90 < {."id":1,"result":{"content":[{"type":"text","text":"1"}]}}
	`)
	h := talk(t, tape, Options{}, `
		0 > {."id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
		20 > {."method":"notifications/initialized"}
		30 > {."id":1,"result":{"roots":[]}}
		100 > {."id":4,"method":"tools/call","params":{"name":"add","arguments":{"a":2}}}
		200 > {."id":5,"method":"tools/call","params":{"name":"add","arguments":{"a":1},"_meta":{"progressToken":"t"}}}
		300 > {."id":6,"method":"tools/call","params":{"name":"sub","arguments":{"a":1}}}
		310 > {."id":7,"method":"tools/call","params":{"name":"add","arguments":{"a":3}}}
		320 > {."id":8,"method":"prompts/list"}
	`)
	h.hears(t, `
		10 < {."id":0,"result":{"protocolVersion":"2025-11-25"}}
		25 < {."id":1,"method":"roots/list"}
		110 < {."id":4,"result":{"content":[{"type":"text","text":"2"}]}}
		210 < {."method":"notifications/progress","params":{"progressToken":"t","progress":1}}
		240 < {."id":5,"result":{"content":[{"type":"text","text":"1"}]}}
		300 < {."id":6,"error":{"code":-32602,"message":"Session \"session\" has tools/call recorded of add only."}}
		310 < {."id":7,"error":{"code":-32602,"message":"Session \"session\" has tools/call recorded 2 times, and all of it was played. --end again plays it once more."}}
		320 < {."id":8,"error":{"code":-32601,"message":"Session \"session\" has no prompts/list recorded, only initialize, tools/call."}}
	`)
}

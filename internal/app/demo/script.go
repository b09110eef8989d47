// Package demo is a small agent server that plays one scripted run over the Loom WebSocket
// protocol, so that a new installation has a stream to record. The ordinary WebSocket tap connects
// to it as to any server.
package demo

import (
	"encoding/json"
	"strings"
	"time"
)

// step is one stream event and the pause before it.
type step struct {
	after time.Duration
	event map[string]any
}

// script builds the steps of a run.
type script struct {
	steps []step
	node  string // the node's name, for chunks
}

func (s *script) add(after time.Duration, event map[string]any) {
	s.steps = append(s.steps, step{after, event})
}

func (s *script) enter(node string) {
	s.node = node
	s.add(40*time.Millisecond, map[string]any{"type": "node_enter", "id": node})
}

func (s *script) exit() {
	s.add(8*time.Millisecond, map[string]any{"type": "node_exit", "id": s.node, "result": "Ok"})
}

// say streams text in chunks of one or two words at the speed of a model: the first chunk after
// wait, the others at irregular intervals.
func (s *script) say(kind, text string, wait time.Duration) {
	for i, chunk := range chunks(text) {
		after := wait
		if i > 0 {
			after = time.Duration(18+(i*37)%31) * time.Millisecond
		}
		s.add(after, map[string]any{"type": kind, "content": chunk, "id": s.node})
	}
}

// chunks splits text before spaces, every third chunk two words long.
func chunks(text string) []string {
	var out []string
	for i, word := range strings.SplitAfter(text, " ") {
		if i%3 == 2 && len(out) > 0 {
			out[len(out)-1] += word
			continue
		}
		out = append(out, word)
	}
	return out
}

// call streams a tool call's arguments, then the whole call.
func (s *script) call(id, tool string, arguments any) {
	text, err := json.Marshal(arguments)
	if err != nil {
		panic(err) // the arguments are constants
	}
	for i := 0; i < len(text); i += 14 {
		s.add(22*time.Millisecond, map[string]any{
			"type": "tool_call_chunk", "call_id": id, "name": tool,
			"arguments_delta": string(text[i:min(i+14, len(text))]),
		})
	}
	s.add(5*time.Millisecond, map[string]any{"type": "tool_call", "call_id": id, "name": tool, "arguments": arguments})
}

func (s *script) usage(prompt, completion, cached int) {
	s.add(12*time.Millisecond, map[string]any{
		"type": "usage", "prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion,
		"prompt_tokens_details": map[string]any{"cached_tokens": cached},
	})
}

// run executes a tool: its output line by line, then its result.
func (s *script) run(id, tool string, lines []string, pause time.Duration, result string, failed bool) {
	s.add(15*time.Millisecond, map[string]any{"type": "tool_start", "call_id": id, "name": tool})
	for _, line := range lines {
		s.add(pause, map[string]any{"type": "tool_output", "call_id": id, "name": tool, "content": line + "\n"})
	}
	s.add(pause, map[string]any{"type": "tool_end", "call_id": id, "name": tool, "result": result, "is_error": failed})
}

// question is the demo user's question.
const question = "Why did last night's build fail, and is it safe to release?"

// answer is the reply of the scripted run.
const answer = "Last night's build failed in `TestRenewLease`: the test compares a lease's expiry with the wall clock, " +
	"and the runner's clock stepped back by 1.2 s during an NTP correction. The code under test is right, since it " +
	"uses the monotonic clock; only the test is wrong. It is safe to release. I would change the test to compare " +
	"durations, and I could not check the release notes, because `docs/release-notes.md` does not exist."

// demoRun returns the scripted run: two thoughts, a tool that succeeds, a tool that fails, and a
// reply.
func demoRun() []step {
	s := &script{}
	s.enter("think")
	s.say("thought_chunk", "The user wants the cause of a failed nightly build. I should look at the build log "+
		"first, then at the test that failed.", 420*time.Millisecond)
	s.say("message_chunk", "Let me look at the build log.", 160*time.Millisecond)
	s.call("call_7f3a", "bash", map[string]any{"command": "grep -n -A4 FAIL build/nightly.log"})
	s.usage(1843, 96, 1536)
	s.exit()

	s.enter("act")
	s.run("call_7f3a", "bash", []string{
		"2117: --- FAIL: TestRenewLease (1.31s)",
		"2118:     lease_test.go:84: lease expires 1.204s before it was renewed",
		"2119: FAIL",
		"2120: FAIL    service/lease   4.102s",
	}, 190*time.Millisecond, "exit status 0, 4 lines", false)
	s.exit()

	s.enter("think")
	s.say("thought_chunk", "An expiry before the renewal: a clock that stepped back. The test uses the wall clock. "+
		"I will check the release notes before I say that it is safe.", 380*time.Millisecond)
	s.call("call_91c0", "read", map[string]any{"path": "docs/release-notes.md"})
	s.usage(2210, 118, 1792)
	s.exit()

	s.enter("act")
	s.run("call_91c0", "read", nil, 240*time.Millisecond, "docs/release-notes.md: no such file", true)
	s.exit()

	s.enter("think")
	s.say("message_chunk", answer, 510*time.Millisecond)
	s.usage(2391, 131, 2176)
	s.exit()
	return s.steps
}

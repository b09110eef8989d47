package agenthistory

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"tapedeck/schema"
)

// ampMessage is an answer of Amp with n tokens of output.
func ampMessage(id, n int) string {
	return fmt.Sprintf(`{"role":"assistant","messageId":%d,"content":[{"type":"text","text":"x"}],"state":{"type":"complete","stopReason":"end_turn"},`+
		`"usage":{"model":"m","inputTokens":2,"outputTokens":%d,"cacheCreationInputTokens":30,"cacheReadInputTokens":400,"timestamp":"2026-01-01T00:00:%02dZ"}}`, id, n, id)
}

// A thread of Amp is rewritten with more messages and with a changed one. Its tokens count once.
func TestAmpThread(t *testing.T) {
	const name = ".local/share/amp/threads/T-1.json"
	thread := func(messages ...string) string {
		return `{"v":3,"id":"T-1","created":1767225600000,"env":{"initial":{"trees":[{"uri":"file:///w"}]}},` + "\n" + `"messages":[` + strings.Join(messages, ",\n ") + `]}`
	}
	m := newMachine(t)
	m.write(name, thread(ampMessage(1, 5)))
	if res := m.atHome(t); res.Recorded != 1 || res.Frames != 2 {
		t.Fatalf("%+v", res)
	}
	m.write(name, thread(ampMessage(1, 5), ampMessage(3, 6))[:300])
	if res := m.atHome(t); res.Recorded != 0 || res.Failed != 1 || !strings.HasPrefix(res.Problems[0].Reason, "the file is incomplete: its agent is writing it") {
		t.Errorf("a part of the file: %+v", res)
	}
	m.write(name, thread(ampMessage(1, 7), ampMessage(3, 60)))
	if res := m.atHome(t); res.Recorded != 1 {
		t.Errorf("the file has grown: %+v", res)
	}
	if res := m.atHome(t); res.Recorded != 0 || len(m.stored.frames) != 1 {
		t.Errorf("nothing new: %+v, %d streams", res, len(m.stored.frames))
	}
	if got, want := m.stored.tokens(), (schema.Tokens{Input: 4, CacheRead: 800, CacheWrite5m: 60, Output: 67}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// The ledger of a thread states the tokens of its calls, and its messages those of a cache.
func TestAmpLedger(t *testing.T) {
	m := newMachine(t)
	m.write(".local/share/amp/threads/T-2.json", `{"id":"T-2","created":1767225600000,"messages":[`+ampMessage(1, 5)+`],"usageLedger":{"events":[`+
		`{"id":"a","timestamp":"2026-01-01T00:00:01Z","model":"m","credits":1.5,"tokens":{"input":100,"output":50},"toMessageId":1},`+
		`{"id":"b","timestamp":"2026-01-01T00:00:02Z","model":"n","tokens":{"input":7,"output":8}}]}}`)
	m.atHome(t)
	if got, want := m.stored.tokens(), (schema.Tokens{Input: 107, CacheRead: 400, CacheWrite5m: 30, Output: 58}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// The settings of a session of Droid give it no title, and without a time they have the time of its last
// message, else that of the file.
func TestDroidSettingsTitleAndTime(t *testing.T) {
	messages := strings.Join(caseLines(t, "mappings/testdata/droid/cases/turns.txtar"), "")
	first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	modified := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name, messages, lock string
		at                   time.Time
	}{
		{"at the first message", messages, `"2026-01-01T00:00:00Z"`, first},
		{"before the first message", messages, `"2025-12-31T23:59:59Z"`, first.Add(-time.Second)},
		{"no time", messages, "null", first.Add(4 * time.Second)},
		{"a message that is being written", messages + `{"type":"message","timestamp":"2026-01-01T00:0`, "null", first.Add(4 * time.Second)},
		{"no time and no messages", "", "null", modified},
	} {
		m := newMachine(t)
		path := m.write(".factory/sessions/-w/d-1.settings.json", `{"model":"m","providerLockTimestamp":`+test.lock+`,"tokenUsage":{"inputTokens":3,"outputTokens":5}}`)
		if err := os.Chtimes(path, modified, modified); err != nil {
			t.Fatal(err)
		}
		if test.messages != "" {
			m.write(".factory/sessions/-w/d-1.jsonl", test.messages)
		}
		m.atHome(t)
		found := false
		for _, state := range m.stored.states {
			if !strings.HasSuffix(state.Source, ".settings.json") {
				if state.Title != "List the files." {
					t.Errorf("%s: the messages have the title %q", test.name, state.Title)
				}
				continue
			}
			found = true
			if f := m.stored.frames[state.StreamID][0]; state.Title != "" || f.At != test.at.UnixNano() {
				t.Errorf("%s: the settings have the title %q and the time %v", test.name, state.Title, time.Unix(0, f.At).UTC())
			}
		}
		if !found {
			t.Errorf("%s: no settings in %+v", test.name, m.stored.states)
		}
	}
}

// The settings of a session of Droid state its tokens so far, and are rewritten.
func TestDroidSettings(t *testing.T) {
	settings := func(output int, more string) string {
		return fmt.Sprintf("{\n  \"model\": \"m\",\n  \"tokenUsage\": {\"inputTokens\": 3, \"outputTokens\": %d, \"cacheReadTokens\": 9}%s\n}", output, more)
	}
	for _, lock := range []string{"", `, "providerLockTimestamp": "2026-01-01T00:00:00Z"`} {
		m := newMachine(t)
		m.write(".factory/sessions/-w/d-1.jsonl", strings.Join(caseLines(t, "mappings/testdata/droid/cases/turns.txtar"), ""))
		m.write(".factory/sessions/-w/d-1.settings.json", settings(5, lock))
		m.write(".factory/sessions/-w/d-2.settings.json", `{"model":"m"}`)
		if res := m.atHome(t); res.Recorded != 2 || res.States[StateEmpty] != 1 {
			t.Fatalf("%+v", res)
		}
		m.write(".factory/sessions/-w/d-1.settings.json", settings(50, lock))
		if res := m.atHome(t); res.Recorded != 1 || len(m.stored.frames) != 2 {
			t.Errorf("%+v, %d streams", res, len(m.stored.frames))
		}
		if err := m.progress.Forget(); err != nil {
			t.Fatal(err)
		}
		m.atHome(t)
		if got, want := m.stored.tokens(), (schema.Tokens{Input: 3, CacheRead: 9, Output: 50}); got != want || len(m.stored.frames) != 2 {
			t.Errorf("%+v of %d streams, want %+v of 2", got, len(m.stored.frames), want)
		}
		for key := range m.stored.usages {
			if !strings.HasPrefix(key, "d-1 ") {
				t.Errorf("a usage of another session: %s", key)
			}
		}
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// keyedBody is a run of n steps, each with a message, a tool call and usage.
func keyedBody(session string, n int) string {
	var out strings.Builder
	id := 0
	say := func(format string, args ...any) {
		id++
		fmt.Fprintf(&out, `{"session_id":%q,"event_id":%d,%s}`+"\n", session, id, fmt.Sprintf(format, args...))
	}
	say(`"type":"run_start","run_id":"run","message":"go","agent":"react"`)
	for i := range n {
		say(`"type":"node_enter","id":"think"`)
		say(`"type":"message_chunk","id":"think","content":"hello "`)
		say(`"type":"usage","prompt_tokens":%d,"completion_tokens":7,"total_tokens":%d`, 100+i, 107+i)
		say(`"type":"tool_call","call_id":"%s-c%d","name":"bash","arguments":{"n":%d}`, session, i, i)
		say(`"type":"node_exit","id":"think","result":"Ok"`)
		say(`"type":"tool_start","call_id":"%s-c%d","name":"bash"`, session, i)
		say(`"type":"tool_end","call_id":"%s-c%d","name":"bash","result":"done","is_error":false`, session, i)
	}
	say(`"reply":"bye"`)
	return out.String()
}

// slowly gives a text in small pieces.
type slowly struct {
	text string
	gone *atomic.Int64 // bytes that were read
}

func (s *slowly) Read(p []byte) (int, error) {
	if s.text == "" {
		return 0, io.EOF
	}
	time.Sleep(2 * time.Millisecond)
	n := copy(p, s.text[:min(len(s.text), 700)])
	s.text = s.text[n:]
	s.gone.Add(int64(n))
	return n, nil
}

// Clients that post again after a failure that leaves them in doubt, while the server
// is killed with SIGKILL: with a key nothing is doubled, frames, tokens and calls.
func TestKilledUnderKeys(t *testing.T) {
	needEngine(t)
	dir := filepath.Join(t.TempDir(), "data")
	const clients, kills = 10, 3
	var (
		address atomic.Pointer[string]
		posts   atomic.Int64
		gone    atomic.Int64
		all     sync.WaitGroup
	)
	s, err := startUp(dir)
	if err != nil {
		t.Fatal(err)
	}
	address.Store(&s.url)
	texts := map[string]string{}
	for i := range clients {
		session := fmt.Sprintf("keyed-%d", i)
		text := keyedBody(session, 400)
		texts[session] = text
		all.Go(func() {
			for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
				posts.Add(1)
				offset := 0
				if i%2 == 1 { // half of them ask where to go on, the others repeat the request as it was
					offset = durableUnder(*address.Load(), session)
				}
				if offset < 0 {
					continue
				}
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, *address.Load()+"/v1/ingest?dialect=loom", &slowly{text[offset:], &gone})
				if err != nil {
					t.Error(err)
					return
				}
				r.Header.Set("Content-Type", "application/x-ndjson")
				r.Header.Set("Idempotency-Key", session)
				r.Header.Set("Upload-Offset", fmt.Sprint(offset))
				resp, err := http.DefaultClient.Do(r)
				if err != nil {
					continue
				}
				answer, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				switch {
				case err != nil || resp.StatusCode >= 500:
				case resp.StatusCode == http.StatusOK:
					return
				default:
					t.Errorf("%s from %d: %s %s", session, offset, resp.Status, answer)
					return
				}
			}
			t.Errorf("%s was not recorded in time", session)
		})
	}
	for range kills {
		until(t, "something to be sent", time.Minute, func() bool { return gone.Load() > 200_000 })
		gone.Store(0)
		time.Sleep(time.Duration(rand.IntN(150)) * time.Millisecond)
		s.kill()
		if s, err = startUp(dir); err != nil {
			t.Fatal(err)
		}
		address.Store(&s.url)
	}
	all.Wait()
	if posts.Load() <= clients {
		t.Error("no client had to send again, so this test shows nothing")
	}
	control := keyedBody("control", 400) // sent once, without a key
	resp, err := http.Post(s.url+"/v1/ingest?dialect=loom", "application/x-ndjson", strings.NewReader(control))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	want := settled(t, s, "control", control)
	if want.Status != "ok" || want.Tools.Calls != 400 || want.Tokens.Total < 40_000 || len(want.Runs) != 1 {
		t.Fatalf("recorded once it is %+v", want)
	}
	for session, text := range texts {
		if got := settled(t, s, session, text); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %+v, want %+v", session, got, want)
		}
	}
	t.Logf("%d requests for %d bodies", posts.Load(), clients)
	if _, err := s.stop(); err != nil {
		t.Error(err)
	}
}

// durableUnder asks where to go on, -1 while there is no answer.
func durableUnder(address, key string) int {
	resp, err := http.Get(address + "/v1/ingest/" + key)
	if err != nil {
		return -1
	}
	defer resp.Body.Close()
	var st struct{ Bytes int }
	switch {
	case resp.StatusCode == http.StatusNotFound:
		return 0
	case resp.StatusCode != http.StatusOK || json.NewDecoder(resp.Body).Decode(&st) != nil:
		return -1
	}
	return st.Bytes
}

// keyedSession is what the server says of a session.
type keyedSession struct {
	Status string
	Frames int
	Runs   []struct{ Status string }
	Tokens struct{ Total int }
	Tools  struct{ Calls, Errors int }
}

// settled waits until a text is stored as the whole of a session.
func settled(t *testing.T, s *instance, session, text string) (got keyedSession) {
	t.Helper()
	var raw []byte
	until(t, session+" to be stored as it was sent", time.Minute, func() bool {
		status, body, _ := s.get(t, "/v1/sessions/"+session)
		if status != http.StatusOK || json.Unmarshal(body, &got) != nil || got.Frames < strings.Count(text, "\n") {
			return false
		}
		_, raw, _ = s.get(t, "/v1/sessions/"+session+"/replay?mode=raw&speed=max", "Accept", "application/x-ndjson")
		return got.Status != "running" && len(raw) >= len(text)
	})
	if string(raw) != text {
		t.Errorf("%s: %d bytes are recorded, %d were sent", session, len(raw), len(text))
	}
	return got
}

package failure

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// keyedBody returns a run of n steps, each with a message, a tool call and usage.
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

// slowly reads a text in small pieces.
type slowly struct {
	text string
	gone *atomic.Int64 // bytes that were read
}

func (s *slowly) Read(p []byte) (int, error) {
	if s.text == "" {
		return 0, io.EOF
	}
	time.Sleep(2 * time.Millisecond) // so that a kill comes while the body is being sent
	n := copy(p, s.text[:min(len(s.text), 700)])
	s.text = s.text[n:]
	s.gone.Add(int64(n))
	return n, nil
}

// Clients that post again after a failure that leaves them in doubt, while the server
// is killed with SIGKILL: with a key nothing is doubled, frames, tokens and calls.
func TestKilledUnderKeys(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	commandtest.NeedEngine(t)
	dir := filepath.Join(t.TempDir(), "data")
	const clients, kills = 10, 3
	var (
		address atomic.Pointer[string]
		posts   atomic.Int64
		gone    atomic.Int64
		all     sync.WaitGroup
	)
	s, err := commandtest.StartUp(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	address.Store(&s.URL)
	texts := map[string]string{}
	for i := range clients {
		session := fmt.Sprintf("keyed-%d", i)
		text := keyedBody(session, 400)
		texts[session] = text
		all.Go(func() {
			for end := time.Now().Add(2 * bounded.Limit); time.Now().Before(end); time.Sleep(50 * time.Millisecond) { // a client waits before it tries again
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
		bounded.Until(t, "something to be sent", func() bool { return gone.Load() > 200_000 })
		gone.Store(0)
		time.Sleep(time.Duration(rand.IntN(150)) * time.Millisecond) // the kill comes at any moment
		s.Kill()
		if s, err = commandtest.StartUp(t, dir); err != nil {
			t.Fatal(err)
		}
		address.Store(&s.URL)
	}
	all.Wait()
	if posts.Load() <= clients {
		t.Error("no client had to send again, so this test shows nothing")
	}
	for session, text := range texts {
		settled(t, s, session, text, keyedSession{
			Status: "ok", Frames: strings.Count(text, "\n"), Runs: 1, Tokens: tokensOf(400), Calls: 400,
		})
	}
	t.Logf("%d requests for %d bodies", posts.Load(), clients)
	if _, err := s.Stop(); err != nil {
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

// tokensOf returns how many tokens a keyedBody of n steps states.
func tokensOf(n int) int { return 107*n + n*(n-1)/2 }

// keyedSession is what the server says of a session.
type keyedSession struct {
	Status                      string
	Frames, Runs, Tokens, Calls int
}

// settled waits until a text is stored as the whole of a session, with what follows
// from it.
func settled(t *testing.T, s *commandtest.Instance, session, text string, want keyedSession) {
	t.Helper()
	var got keyedSession
	var raw []byte
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s is %+v with %d bytes, want %+v with %d", session, got, len(raw), want, len(text))
		}
	})
	bounded.Until(t, "all of session "+session, func() bool {
		if got = keyedSessionOf(t, s, session); got != want {
			return false
		}
		_, raw, _ = s.Get(t, "/v1/sessions/"+session+"/replay?mode=raw&speed=max", "Accept", "application/x-ndjson")
		return string(raw) == text
	})
}

// keyedSessionOf reads a session; the zero value while it is not there.
func keyedSessionOf(t *testing.T, s *commandtest.Instance, session string) (got keyedSession) {
	t.Helper()
	var said struct {
		Status string
		Frames int
		Runs   []struct{}
		Tokens struct{ Total int }
		Tools  struct{ Calls int }
	}
	if status, body, _ := s.Get(t, "/v1/sessions/"+session); status != http.StatusOK || json.Unmarshal(body, &said) != nil {
		return got
	}
	return keyedSession{said.Status, said.Frames, len(said.Runs), said.Tokens.Total, said.Tools.Calls}
}

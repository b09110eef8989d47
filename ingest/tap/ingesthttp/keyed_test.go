package ingesthttp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/keys"
	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/tap/ingesthttp"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/syncbuffer"
	"tapedeck/schema"
)

// nodes are servers that share a JetStream and what they record.
type nodes struct {
	nc  *nats.Conn
	mem *ingesttest.Memory
	log *slog.Logger // nil for the default one
}

func newNodes(t *testing.T) *nodes {
	return &nodes{nc: localtest.NATS(t), mem: &ingesttest.Memory{}}
}

func (n *nodes) start(t *testing.T, set ingest.Settings) *server {
	t.Helper()
	store, err := keys.New(keys.Options{NATS: n.nc, Next: n.mem, MaxBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return serveTo(t, n.mem, set, ingesthttp.Options{Keys: store, Log: n.log})
}

// sending is one request with a key.
type sending struct {
	query, media, key string
	offset            int
	text              string
	cut               bool   // the connection breaks after the text
	when              func() // called before the connection breaks
}

// send returns the status and the text of the answer, 0 if there is none.
func (s *server) send(t *testing.T, it sending) (int, string) {
	t.Helper()
	var from io.Reader = strings.NewReader(it.text)
	if it.cut {
		out, in := io.Pipe()
		from = out
		go func() {
			_, _ = in.Write([]byte(it.text))
			if it.when != nil {
				it.when()
			}
			_ = in.CloseWithError(errors.New("the connection breaks"))
		}()
	}
	if it.media == "" {
		it.media = ndjson
	}
	r := s.request(t, it.query, it.media, "", from)
	r.Header.Set("Idempotency-Key", it.key)
	if it.offset > 0 {
		r.Header.Set("Upload-Offset", strconv.Itoa(it.offset))
	}
	resp, err := s.client.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(text)
}

// status is what the server says of a key; nothing if it does not know it.
func (s *server) status(t *testing.T, key string) (got keys.Status) {
	t.Helper()
	resp, err := s.client.Get(s.http.URL + "/v1/ingest/" + key)
	for range 50 {
		if err == nil {
			break
		}
		// The server's timeouts are too short for a busy machine; recording lifts them.
		resp, err = s.client.Get(s.http.URL + "/v1/ingest/" + key)
	}
	if err != nil {
		t.Error(err)
		return got
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotFound {
		return got
	}
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("status %d, %v", resp.StatusCode, err)
	}
	return got
}

// conversation is a run in which the model speaks, calls a tool, and speaks again, in
// pieces, so that any cut falls into something.
func conversation() string {
	var out strings.Builder
	id := 0
	say := func(format string, args ...any) {
		id++
		fmt.Fprintf(&out, `{"session_id":"talk","event_id":%d,%s}`+"\n", id, fmt.Sprintf(format, args...))
	}
	say(`"type":"run_start","run_id":"run","message":"go","agent":"react"`)
	for step := range 6 {
		say(`"type":"node_enter","id":"think"`)
		for i := range 3 {
			say(`"type":"message_chunk","id":"think","content":"word %d "`, i)
		}
		say(`"type":"usage","prompt_tokens":%d,"completion_tokens":7,"total_tokens":%d`, 100+step, 107+step)
		say(`"type":"tool_call","call_id":"c%d","name":"bash","arguments":{"n":%d}`, step, step)
		say(`"type":"node_exit","id":"think","result":"Ok"`)
		say(`"type":"tool_start","call_id":"c%d","name":"bash"`, step)
		say(`"type":"tool_end","call_id":"c%d","name":"bash","result":"done %d","is_error":false`, step, step)
	}
	say(`"reply":"bye"`)
	return out.String()
}

// facts are the facts of a stream by kind and id, as they stand.
func facts(mem *ingesttest.Memory, stream string) map[string]string {
	type stand struct {
		version uint64
		text    string
	}
	all := map[string]stand{}
	note := func(kind, session string, f schema.Fact, text string) {
		key := kind + " " + session + " " + strings.ReplaceAll(f.ID, stream, "STREAM")
		if old, ok := all[key]; !ok || f.Version >= old.version {
			all[key] = stand{f.Version, text}
		}
	}
	for _, b := range mem.Blocks() {
		if b.State.StreamID != stream {
			continue
		}
		for _, x := range b.Facts.Spans {
			note("span", b.Session, x.Fact, fmt.Sprint(x.Kind, x.Name, x.Status, x.SeenSeq, x.Ended != 0))
		}
		for _, x := range b.Facts.Messages {
			note("message", b.Session, x.Fact, fmt.Sprint(x.Kind, x.Text, x.Complete, x.SeenSeq))
		}
		for _, x := range b.Facts.Usages {
			note("usage", b.Session, x.Fact, fmt.Sprint(x.Tokens, x.SeenSeq))
		}
	}
	out := map[string]string{}
	for k, s := range all {
		out[k] = s.text
	}
	return out
}

// only returns the one stream that was recorded.
func (n *nodes) only(t *testing.T) string {
	t.Helper()
	ids := n.mem.Streams()
	if len(ids) != 1 {
		t.Fatalf("%d streams were recorded, want 1", len(ids))
	}
	return ids[0]
}

// check compares what was recorded with what one request would have recorded.
func (n *nodes) check(t *testing.T, text string) {
	t.Helper()
	id := n.only(t)
	if got := string(n.mem.Raw(id, schema.Receive)); got != text {
		t.Errorf("recorded %d bytes, want the %d that were sent", len(got), len(text))
	}
	last := int64(0)
	for i, f := range n.mem.Frames(id) {
		if f.Seq != uint64(i) || f.At < last {
			t.Fatalf("frame %d has seq %d, at %d after %d", i, f.Seq, f.At, last)
		}
		last = f.At
	}
	plain := serve(t, ingest.Settings{}, ingesthttp.Options{})
	var answer ingesthttp.Answer
	plain.read(t, plain.post(t, "", ndjson, "", strings.NewReader(text)), http.StatusOK, &answer)
	plain.mem.Wait()
	got, want := facts(n.mem, id), facts(plain.mem, answer.StreamID)
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if got[k] != want[k] {
			t.Errorf("%s is\n %s, want\n %s", k, got[k], want[k])
		}
		delete(got, k)
	}
	for k, v := range got {
		t.Errorf("too much: %s: %s", k, v)
	}
	for _, session := range answer.Sessions {
		state, _ := n.mem.State(id, session)
		is, _ := plain.mem.State(answer.StreamID, session)
		if state.EndReason != "eof" || state.Frames != is.Frames || state.Bytes != is.Bytes || state.Counters != is.Counters || state.Key == "" {
			t.Errorf("session %s stands at %+v, want as %+v", session, state, is)
		}
	}
}

func TestSameRequestTwice(t *testing.T) {
	n := newNodes(t)
	s := n.start(t, ingest.Settings{})
	text := conversation()
	_, first := s.send(t, sending{key: "twice", text: text})
	for range 2 {
		status, again := s.send(t, sending{key: "twice", text: text})
		if status != http.StatusOK || again != first {
			t.Errorf("answered %d %s, want %s", status, again, first)
		}
	}
	n.check(t, text)
	if st := s.status(t, "twice"); !st.Ended || st.Bytes != uint64(len(text)) || st.Frames != uint64(strings.Count(text, "\n")) || st.StreamID != n.only(t) {
		t.Errorf("status %+v", st)
	}
}

// TestCutAndResent cuts a body after so many bytes, and sends it again from its
// beginning, from what is durable, and from between.
func TestCutAndResent(t *testing.T) {
	text := conversation()
	for _, at := range []int{0, 1, 90, 777, 1500, 2345, len(text) / 2, len(text) - 10, len(text)} {
		for name, from := range map[string]func(durable int) int{
			"beginning": func(int) int { return 0 }, "durable": func(n int) int { return n }, "between": func(n int) int { return n * 2 / 3 },
		} {
			t.Run(fmt.Sprintf("%d from %s", at, name), func(t *testing.T) {
				n := newNodes(t)
				s := n.start(t, ingest.Settings{BlockFrames: 7})
				durable := strings.LastIndexByte(text[:at], '\n') + 1
				s.send(t, sending{key: "k", text: text[:at], cut: true, when: func() {
					s.waitFor(t, "what was sent to be durable", func() bool {
						st := s.status(t, "k")
						return st.StreamID != "" && st.Bytes == uint64(durable)
					})
				}})
				before := map[uint64]int64{}
				for _, id := range n.mem.Streams() {
					for _, f := range n.mem.Frames(id) {
						before[f.Seq] = f.At
					}
				}
				o := from(durable)
				status, answer := s.send(t, sending{key: "k", text: text[o:], offset: o})
				if status != http.StatusOK || !strings.Contains(answer, fmt.Sprintf(`"bytes":%d,`, len(text))) {
					t.Fatalf("answered %d %s", status, answer)
				}
				n.check(t, text)
				for _, f := range n.mem.Frames(n.only(t)) {
					if was, ok := before[f.Seq]; ok && was != f.At {
						t.Errorf("frame %d moved from %d to %d", f.Seq, was, f.At)
					}
				}
			})
		}
	}
}

// TestOtherBytes: a key stands for one body, and a request that differs changes nothing.
func TestOtherBytes(t *testing.T) {
	n := newNodes(t)
	s := n.start(t, ingest.Settings{})
	text := conversation()
	half := strings.Repeat("{\"a\":1}\n", 10)
	s.send(t, sending{key: "cut", text: half, cut: true, when: func() {
		s.waitFor(t, "half of it", func() bool { return s.status(t, "cut").Frames == 10 })
	}})
	s.send(t, sending{key: "whole", text: text})
	s.waitFor(t, "the end of the cut request", func() bool {
		for _, id := range n.mem.Streams() {
			if st, ok := n.mem.State(id, id); ok && st.Ended != 0 {
				return true
			}
		}
		return false
	})
	blocks := len(n.mem.Blocks())
	for name, tc := range map[string]struct {
		it     sending
		status int
		want   string
	}{
		"other bytes":               {sending{key: "cut", text: strings.Replace(half, "1", "2", 1) + "{}\n"}, 422, "differ"},
		"other bytes from between":  {sending{key: "cut", offset: 8, text: strings.Repeat("{\"b\":1}\n", 12)}, 422, "differ"},
		"shorter":                   {sending{key: "cut", text: half[:16]}, 422, "before what is durable"},
		"other session":             {sending{key: "cut", query: "?session=x", text: half}, 422, "parameters"},
		"other type":                {sending{key: "cut", media: "text/event-stream", text: half}, 422, "parameters"},
		"beyond what is durable":    {sending{key: "cut", offset: 81, text: half}, 409, "80 is durable"},
		"nothing yet":               {sending{key: "new", offset: 1, text: half}, 409, "0 is durable"},
		"after the end, other":      {sending{key: "whole", text: strings.Replace(text, "word", "werd", 1)}, 422, "differ"},
		"after the end, longer":     {sending{key: "whole", text: text + "{}\n"}, 422, "longer"},
		"after the end, from there": {sending{key: "whole", offset: len(text), text: "{}\n"}, 422, "longer"},
		"no key":                    {sending{key: "a b", text: half}, 400, "1 to 128"},
	} {
		t.Run(name, func(t *testing.T) {
			status, answer := s.send(t, tc.it)
			if status != tc.status || !strings.Contains(answer, tc.want) {
				t.Errorf("answered %d %s, want %d with %q", status, answer, tc.status, tc.want)
			}
		})
	}
	if got := len(n.mem.Blocks()); got != blocks {
		t.Errorf("%d blocks were published", got-blocks)
	}
}

// TestTakenOver: a client connects again while its old connection seems to live, to
// the same server and to another. The old request ends, and adds nothing any more.
func TestTakenOver(t *testing.T) {
	for _, other := range []bool{false, true} {
		t.Run(fmt.Sprintf("another server %v", other), func(t *testing.T) {
			n := newNodes(t)
			logged := &syncbuffer.Output{}
			n.log = slog.New(slog.NewTextHandler(logged, nil))
			old := n.start(t, ingest.Settings{})
			s := old
			if other {
				s = n.start(t, ingest.Settings{})
			}
			text := conversation()
			half := strings.LastIndexByte(text[:len(text)/2], '\n') + 1
			out, in := io.Pipe()
			defer in.Close()
			ended := make(chan string, 1)
			go func() {
				r := old.request(t, "", ndjson, "", out)
				r.Header.Set("Idempotency-Key", "k")
				resp, err := old.client.Do(r)
				if err != nil {
					ended <- err.Error()
					return
				}
				ended <- old.text(t, resp, http.StatusConflict)
			}()
			_, _ = in.Write([]byte(text[:half]))
			old.waitFor(t, "the first half", func() bool { return old.frames() == strings.Count(text[:half], "\n") })
			if status, answer := s.send(t, sending{key: "k", text: text}); status != http.StatusOK {
				t.Fatalf("answered %d %s", status, answer)
			}
			if other { // it learns of it at the next frame
				_, _ = in.Write([]byte("{\"late\":1}\n"))
			}
			if answer := <-ended; !strings.Contains(answer, `"detail":"another request with the same idempotency key took over",`) {
				t.Errorf("the old request was answered %s", answer)
			}
			if text := logged.String(); text != "" { // repeating a key is how clients go on
				t.Errorf("logged: %s", text)
			}
			n.check(t, text)
		})
	}
}

func TestAtTheSameTime(t *testing.T) {
	n := newNodes(t)
	both := []*server{n.start(t, ingest.Settings{}), n.start(t, ingest.Settings{})}
	text := conversation()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			status := http.StatusConflict
			for tries := 0; status == http.StatusConflict && tries < 50; tries++ {
				var answer string
				if status, answer = both[i%2].send(t, sending{key: "k", text: text}); status != http.StatusOK && status != http.StatusConflict {
					t.Errorf("answered %d %s", status, answer)
				}
			}
		})
	}
	all.Wait()
	n.check(t, text)
}

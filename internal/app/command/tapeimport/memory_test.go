package tapeimport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/budget"
	"tapedeck/internal/slow"
	"tapedeck/replay"
	"tapedeck/replay/tapefile"
	"tapedeck/schema"
)

// tapeOf returns a tape of sessions with one frame each.
func tapeOf(t *testing.T, raw []byte, sessions ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := tapefile.NewWriter(&out)
	for i, id := range sessions {
		state := schema.StreamState{StreamID: fmt.Sprintf("019b7d3c-0000-7000-8000-%012d", i), FirstSeq: 1, Frames: 1, Ended: 2, Version: 5}
		err = errors.Join(err, w.Begin(id, []schema.StreamState{state}),
			w.Add(&replay.Frame{Frame: schema.Frame{Seq: 1, At: 1, Raw: raw}, Stream: &state}))
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// post posts a body to a handler.
func post(t *testing.T, o Options, body io.Reader) (*httptest.ResponseRecorder, *ingesttest.Memory) {
	t.Helper()
	o.Log = slog.New(slog.DiscardHandler)
	var to ingesttest.Memory
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/import", body)
	r.Header.Set("Content-Type", tapefile.MediaType)
	w := httptest.NewRecorder()
	NewHandler(&to, o).Import(w, r, "tenant")
	return w, &to
}

// A record of a client that unpacks to more than a frame may have is refused before it is unpacked.
func TestRecordTooLarge(t *testing.T) {
	const large = 40 << 20
	tape := tapeOf(t, make([]byte, large), "s")
	if len(tape) > 64<<10 {
		t.Fatalf("the tape has %d bytes", len(tape))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w, to := post(t, Options{}, bytes.NewReader(tape))
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 16<<20 {
		t.Errorf("%d bytes were allocated", grown)
	}
	var answer Answer
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK || answer.Complete ||
		!strings.Contains(answer.Reason, "too large") || !strings.Contains(answer.Reason, "tapedeck import FILE") {
		t.Errorf("%d %s: %v", w.Code, w.Body, err)
	}
	if n := len(to.Blocks()); n != 0 {
		t.Errorf("%d blocks were published", n)
	}
	if w, to = post(t, Options{FrameLimit: large}, bytes.NewReader(tape)); len(to.Blocks()) == 0 {
		t.Errorf("with a larger limit of frames: %d %s", w.Code, w.Body)
	}
}

// A large record waits for the memory of writers, and is refused with the limit if there is none in time.
func TestRecordWaits(t *testing.T) {
	tape := tapeOf(t, make([]byte, 1<<20), "s")
	writers := budget.NewWriters(budget.Options{Bytes: 8 << 20, Wait: 10 * time.Millisecond})
	other := writers.Write()
	if err := other.Need(t.Context(), 9<<20); err != nil {
		t.Fatal(err)
	}
	w, _ := post(t, Options{Writers: writers}, bytes.NewReader(tape))
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), `"max-writer-bytes"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w, _ = post(t, Options{Writers: writers}, bytes.NewReader(tapeOf(t, []byte("{}\n"), "s"))); w.Code != http.StatusOK {
		t.Errorf("a small tape: %d %s", w.Code, w.Body)
	}
	other.Close()
	bounded.Until(t, "a large record with memory", func() bool {
		w, _ = post(t, Options{Writers: writers}, bytes.NewReader(tape))
		return w.Code == http.StatusOK
	})
	if err := writers.Write().Need(t.Context(), 8<<20); err != nil {
		t.Errorf("the imports still hold memory: %v", err)
	}
}

// A large record that does not arrive gives its memory back.
func TestRecordStalls(t *testing.T) {
	raw := make([]byte, 1<<20)
	for i := range raw {
		raw[i] = byte(i * i >> 3)
	}
	tape := tapeOf(t, raw, "s")
	var to ingesttest.Memory
	h := NewHandler(&to, Options{Arrive: slow.NewTimeout(50 * time.Millisecond), Log: slog.New(slog.DiscardHandler)})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.Import(w, r, "tenant") }))
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), bounded.Limit)
	defer cancel()
	read, write := io.Pipe()
	defer write.Close()
	go func() { _, _ = write.Write(tape[:len(tape)/2]) }() // and no more
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, read)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", tapefile.MediaType)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(text), "did not arrive within 50ms") {
		t.Errorf("%d %s: %v", resp.StatusCode, text, err)
	}
}

// What an import keeps until its end is bounded: sessions, streams, and the texts of their states.
func TestKept(t *testing.T) {
	many := make([]string, 2000)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	tape := tapeOf(t, []byte("{}\n"), many...)
	im := New("tenant", "", nil)
	im.memory = newMemory(&Options{}, http.NewResponseController(httptest.NewRecorder()))
	im.memory.most = 1 << 20
	err := im.Import(t.Context(), bytes.NewReader(tape))
	if _, broken := errors.AsType[*tapefile.BreakError](err); !broken || !errors.Is(err, tapefile.ErrTooLarge) || len(im.Sessions) < 100 || len(im.Sessions) > 1000 {
		t.Errorf("%d sessions: %v", len(im.Sessions), err)
	}
	im = New("tenant", "", nil)
	if err := im.Import(t.Context(), bytes.NewReader(tape)); err != nil || len(im.Sessions) != len(many) {
		t.Errorf("without bounds %d sessions: %v", len(im.Sessions), err)
	}
}

// A session that no other way of recording accepts ends the import; the sessions before it are imported as a whole.
func TestSessionNames(t *testing.T) {
	for _, id := range []string{"", ".", "..", "a\x00b", "\xff", strings.Repeat("x", 257)} {
		w, to := post(t, Options{}, bytes.NewReader(tapeOf(t, []byte("{}\n"), id)))
		if n := len(to.Blocks()); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "session id") || n != 0 {
			t.Errorf("session %.20q: %d %s, %d blocks", id, w.Code, w.Body, n)
		}
	}
	w, to := post(t, Options{}, bytes.NewReader(tapeOf(t, []byte("{}\n"), "good", "..")))
	var answer Answer
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Complete || len(answer.Items) != 1 || answer.Items[0].ID != "good" ||
		!strings.Contains(answer.Reason, "a URL cannot name it") {
		t.Errorf("%d %s: %v", w.Code, w.Body, err)
	}
	if blocks := to.Blocks(); len(blocks) == 0 || blocks[len(blocks)-1].State.Ended == 0 {
		t.Errorf("%d blocks of the good session", len(blocks))
	}
	im := New("tenant", "renamed", nil)
	if err := im.Import(t.Context(), bytes.NewReader(tapeOf(t, []byte("{}\n"), ".."))); err != nil || im.Sessions[0].ID != "renamed" {
		t.Errorf("under another id: %v", err)
	}
}

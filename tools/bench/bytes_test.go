package bench

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/syncbuffer"
)

// A file of texts has the stated number of frames, each with a text of the stated size, by session.
func TestTexts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "texts.ndjson")
	if err := GenerateTexts(25, 4096, 10, path); err != nil {
		t.Fatal(err)
	}
	h := &harness{Options: Options{Setup: Setup{Dir: t.TempDir()}}}
	w, err := h.textWorkload("texts", 25, 10)
	if err != nil {
		t.Fatal(err)
	}
	sessions, n, all := map[string]int{}, uint64(0), uint64(0)
	textsOf := w.texts()
	err = w.lines(func(session string, raw []byte) error {
		sessions[session]++
		n, all = n+1, all+uint64(len(raw))
		texts, err := textsOf(raw)
		if err != nil {
			return err
		}
		if len(texts) != 1 || len(texts[0]) < 4096 || len(texts[0]) > 4096+200 || !strings.Contains(texts[0], "error {\n\treturn fmt.Errorf(\"") {
			t.Errorf("texts %q", texts)
		}
		return nil
	})
	if err != nil || len(sessions) != 3 || w.sessions != 3 || sessions["texts-3"] != 5 || n != 25 || n != w.frames || all != w.bytes {
		t.Errorf("%d frames and %d bytes of %d and %d in the sessions %v of %d: %v", n, all, w.frames, w.bytes, sessions, w.sessions, err)
	}
	if _, err := textsOf([]byte(`{"type":"usage"}`)); err == nil {
		t.Error("a frame without a text is taken")
	}
}

// An answer has deltas of about 200 bytes, the usage and the end; a client reads them as they are
// counted, and an answer that is not complete or has another status is an error.
func TestDeltas(t *testing.T) {
	w := deltaWorkload(3)
	server := httptest.NewServer(http.HandlerFunc(serveDeltas))
	defer server.Close()
	frames, size, err := readDeltas(t.Context(), server.URL, 3)
	if err != nil || frames != 3*(deltaEvents+2) || frames != w.frames || size != w.bytes {
		t.Errorf("%d events of %d bytes, want %d of %d: %v", frames, size, w.frames, w.bytes, err)
	}
	if mean := float64(size) / float64(frames); mean < 190 || mean > 220 {
		t.Errorf("an event has %.0f bytes", mean)
	}
	if *w.expected != (Totals{Calls: 3, Input: 100 + 101 + 102, Output: 3000}) {
		t.Errorf("totals %+v", w.expected)
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	defer gone.Close()
	if _, _, err := readDeltas(t.Context(), gone.URL, 1); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a status of 404: %v", err)
	}
}

// The wait until everything is stored ends when the server says so, and fails at its limit.
func TestAwaitStored(t *testing.T) {
	asked := time.Now()
	answers := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		complete := asked.Add(-time.Second)
		if answers++; answers == 3 {
			complete = asked
		}
		fmt.Fprintf(w, `{"asked_at":%q,"complete_to":%q,"waiting_frames":7}`, asked.Format(time.RFC3339Nano), complete.Format(time.RFC3339Nano))
	}))
	defer server.Close()
	up := &command{url: server.URL, log: &syncbuffer.Output{}}
	if err := up.awaitStored(t.Context(), time.Minute); err != nil || answers != 3 {
		t.Errorf("%d answers: %v", answers, err)
	}
	if err := up.awaitStored(t.Context(), time.Nanosecond); err == nil || !strings.Contains(err.Error(), "7 frames or more are not stored after 1ns") {
		t.Errorf("at the limit: %v", err)
	}
	http.DefaultClient.CloseIdleConnections()
}

// A workload that was not recorded completely is an error, and has no pass.
func TestIncompleteRecording(t *testing.T) {
	w := &workload{name: "w", frames: 2, bytes: 20, prepare: func(context.Context, *harness, *command, string) (recordFunc, error) {
		return func(context.Context) (recorded, error) { return recorded{frames: 2, bytes: 19}, nil }, nil
	}}
	e := w.results()
	_, err := e.pass(t.Context(), &harness{}, w, &command{cmd: endedProcess(t)}, "")
	if err == nil || !strings.Contains(err.Error(), "19 of 20 bytes were recorded") || len(e.Passes) != 0 {
		t.Errorf("%v, passes %v", err, e.Passes)
	}
}

// Lines of any length are read with their line breaks.
func TestEachLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines")
	long := strings.Repeat("x", 3<<20)
	text := "a\n" + long + "\n\nlast"
	writeFile(t, path, text)
	var got bytes.Buffer
	n := 0
	if err := eachLine(path, func(line []byte) error { got.Write(line); n++; return nil }); err != nil || n != 4 || got.String() != text {
		t.Errorf("%d lines, %d bytes: %v", n, got.Len(), err)
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// endedProcess returns a command that has ended.
func endedProcess(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

package sessionexport

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/output"
	"tapedeck/internal/problem"
	"tapedeck/replay"
	"tapedeck/replay/replaytest"
	"tapedeck/replay/tapefile"
	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tape returns a tape of a session of some frames.
func tape(t *testing.T, session string, frames int) []byte {
	t.Helper()
	memory := &replaytest.Tape{}
	s := memory.Stream(schema.NDJSON, "loom")
	for i := range frames {
		s.Add(0, fmt.Sprintf("{\"n\":%d}\n", i))
	}
	var out bytes.Buffer
	w, err := tapefile.NewWriter(&out)
	if err == nil {
		err = w.Begin(session, memory.Streams())
	}
	for _, f := range memory.Frames() {
		if err == nil {
			err = w.Add(&replay.Frame{Frame: f.Frame, Stream: f.Stream})
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// server serves tapes of sessions; the frames of "expired" are gone, "deleted" was deleted, and "none" is not there.
func server(t *testing.T) func() (*apiclient.Client, error) {
	t.Helper()
	tapes := map[string][]byte{"a": tape(t, "a", 3), "b": tape(t, "b", 3)}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, _ := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/v1/sessions/"), "/tape")
		w.Header().Set(problem.ServerHeader, "1")
		switch id {
		case "expired":
			problem.Write(w, &problem.Problem{Title: "Frames expired", Status: http.StatusGone, Detail: "The frames expired."})
		case "deleted":
			problem.Write(w, &problem.Problem{Title: problem.SessionDeleted, Status: http.StatusGone})
		case "none":
			problem.Write(w, problem.NotFound("There is no such session."))
		case "forbidden":
			problem.Write(w, &problem.Problem{Status: http.StatusForbidden})
		default:
			w.Header().Set("Content-Type", tapefile.MediaType)
			_, _ = w.Write(tapes[id]) // a client that left has failed
		}
	}))
	t.Cleanup(func() {
		s.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return func() (*apiclient.Client, error) { return apiclient.New(s.URL, "") }
}

// An export of all sessions leaves out those that the server has no frames of any more. An export of named ones fails.
func TestAll(t *testing.T) {
	for _, c := range []struct {
		sessions string
		all      bool
		on       string // the tape
		gone     int
		fails    string
	}{
		{"expired a deleted none b", true, "a b", 3, ""},
		{"a b", true, "a b", 0, ""},
		{"expired none", true, "", 2, "none of the 2 sessions"},
		{"a forbidden b", true, "", 0, "export forbidden"},
		{"a expired", false, "", 0, "export expired"},
	} {
		t.Run(c.sessions, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "all.tape")
			out, err := output.Create(path, false)
			if err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			e := Export{Format: "tape", Sessions: strings.Fields(c.sessions), All: c.all, Server: server(t), Notes: &said}
			_, err = e.Write(t.Context(), out)
			failed := err != nil
			out.Keep = false
			if err := out.Finish(err); failed != (c.fails != "") || failed && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("it ends with %v, want %q", err, c.fails)
			}
			if e.Gone != c.gone || strings.Count(said.String(), "is left out") != c.gone {
				t.Errorf("%d were left out, want %d:\n%s", e.Gone, c.gone, said.String())
			}
			if failed {
				return
			}
			f, err := tapefile.Open(path, tapefile.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if got := strings.Join(f.Sessions(), " "); got != c.on || f.Break() != nil {
				t.Errorf("the tape has %q, want %q: %v", got, c.on, f.Break())
			}
		})
	}
}

// Of a tape that was cut off no other format is made that looks like the whole.
func TestCutTape(t *testing.T) {
	whole := tape(t, "s", 500)
	for _, cut := range []bool{false, true} {
		path, content := filepath.Join(t.TempDir(), "a.tape"), whole
		if cut {
			content = whole[:len(whole)/2]
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"har", "asciicast", "html", "player", "otlp", "trace", "atif"} {
			to := filepath.Join(t.TempDir(), "out")
			out, err := output.Create(to, false)
			if err != nil {
				t.Fatal(err)
			}
			e := Export{Format: format, Sessions: []string{path}, Notes: &bytes.Buffer{}}
			_, err = e.Write(t.Context(), out)
			err = out.Finish(err)
			if !cut && err != nil && format != "atif" { // a trajectory needs calls
				t.Errorf("%s: %v", format, err)
			}
			if _, missing := os.Stat(to); cut && (err == nil || !strings.Contains(err.Error(), "ends early") || !strings.Contains(err.Error(), "tapedeck import ") ||
				!os.IsNotExist(missing)) {
				t.Errorf("%s of a cut tape: %v, %v", format, err, missing)
			}
		}
	}
}

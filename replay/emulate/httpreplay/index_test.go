package httpreplay_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/replay/emulate"
	et "tapedeck/replay/emulate/emulatetest"
	"tapedeck/replay/emulate/httpreplay"
	"tapedeck/replay/player"
	"tapedeck/replay/replaytest"
	"tapedeck/replay/tapefile"
	"tapedeck/schema"
)

// A response is one however many frames it has: what a reader returns is valid until
// it returns more.
func TestLongAnswer(t *testing.T) {
	const frames = 5000
	recorded := &replaytest.Tape{}
	s := recorded.Stream(schema.NDJSON, "openai-chat")
	for i := range frames {
		s.Add(0, fmt.Sprintf("{\"id\":\"%d\"}\n", i), et.Typed(strings.Repeat("t", 1+i/32), "one run"))
	}
	var file bytes.Buffer
	w, err := tapefile.NewWriter(&file)
	check(t, err)
	check(t, w.Begin(replaytest.Session, recorded.Streams()))
	for _, f := range recorded.Frames() {
		check(t, w.Add(&f))
	}
	check(t, w.Close())
	path := filepath.Join(t.TempDir(), "long.tape")
	check(t, os.WriteFile(path, file.Bytes(), 0o600))
	f, err := tapefile.Open(path, tapefile.Options{})
	check(t, err)
	t.Cleanup(func() { _ = f.Close() })
	tape, err := f.Tape(t.Context(), "", replaytest.Session)
	check(t, err)
	server := httpreplay.New(et.Stage(recorded))
	base := et.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		server.Serve(w, r, "", replaytest.Session, r.URL.Path, tape, emulate.Pacing{Speed: player.Max})
	}))
	res, err := http.Post(base+"/v1/chat/completions", "application/json", strings.NewReader("{}"))
	check(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	check(t, err)
	if got := strings.Count(string(text), "data: {"); got != frames {
		t.Errorf("%d of %d chunks came", got, frames)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

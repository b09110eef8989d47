package sessionhtml

import (
	"compress/gzip"
	"encoding/ascii85"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A session of more bytes than a browser is to hold is refused, with what to do.
func TestReadBounds(t *testing.T) {
	memory := &replaytest.Tape{}
	memory.Stream(schema.NDJSON, "loom").Add(0, strings.Repeat("x", mostBytes+1)+"\n")
	if _, err := Read(t.Context(), memory, replaytest.Session); err == nil || !strings.Contains(err.Error(), "may hold 64 MiB: export a tape") {
		t.Errorf("%v", err)
	}
}

// A session without facts has its frames, and lists where the page expects lists.
func TestReadWithoutFacts(t *testing.T) {
	memory := &replaytest.Tape{}
	memory.Stream(schema.NDJSON, "").Add(0, "one\n").Add(5, "two\n")
	r, err := Read(t.Context(), memory, replaytest.Session)
	if err != nil {
		t.Fatal(err)
	}
	var session struct {
		Runs    []any
		Streams []struct{ Redacted, Tags map[string]any }
	}
	if err := json.Unmarshal(r.Session, &session); err != nil || session.Runs == nil || session.Streams[0].Redacted == nil || session.Streams[0].Tags == nil {
		t.Errorf("%v, %s", err, r.Session)
	}
	if string(r.Transcript) != "[]" || len(r.Frames) != 2 || string(r.Frames[1].Raw) != "two\n" || r.Frames[1].OffsetMS != 0.000005 {
		t.Errorf("transcript %s, frames %+v", r.Transcript, r.Frames)
	}
}

// Secrets are masked in what is read off a frame, too, as an answer to a shared link has them masked.
func TestReadMasksNames(t *testing.T) {
	secret := "sk-ant-api03-" + strings.Repeat("A1b", 31) + "AA"
	memory := &replaytest.Tape{}
	memory.Stream(schema.NDJSON, "loom").Add(0, `{"key":"`+secret+`"}`+"\n")
	f := &memory.Frames()[0]
	f.Type, f.Agent, f.EventID = "type "+secret, "agent "+secret, "event "+secret
	r, err := Read(t.Context(), memory, replaytest.Session)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil || strings.Contains(string(text), secret) || !strings.HasPrefix(r.Frames[0].Agent, "agent ") {
		t.Errorf("%v, %s", err, text)
	}
}

// Any text comes back from its form in the file, which has no character that means something in HTML.
func TestCompressed(t *testing.T) {
	for _, text := range []string{"", "a", "ab", "</template>&amp;", strings.Repeat("\x00", 999), strings.Repeat("long ", 5000)} {
		digits, err := compressed([]byte(text))
		if err != nil || strings.ContainsAny(digits, "<&z") {
			t.Errorf("%.20q: %v, %.60s", text, err, digits)
		}
		r, err := gzip.NewReader(ascii85.NewDecoder(strings.NewReader(strings.NewReplacer("v", "<", "w", "&").Replace(digits))))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != text {
			t.Errorf("%.20q: %v, %.20q", text, err, got)
		}
	}
}

// Package capturetest tests dialects with streams that were captured from real servers and agents. The
// captures are beside the repository and not part of it; their expected facts are.
//
// A case is a txtar file. Its comment describes the capture. The file "capture" has lines of "file:
// codex_exec/plan.jsonl" (below the fixtures directory) and, if the name does not show it, "form:
// sse", "ndjson", "eventstream" or "array", a JSON array whose elements become SSE events. The file
// "facts" is the outcome as dialecttest.Abridge writes it; -update writes it. Frames come 10 ms
// apart.
package capturetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tapedeck/ingest"
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/ingest/framing/eventstream"
	"tapedeck/ingest/framing/ndjson"
	"tapedeck/ingest/framing/sse"
	"tapedeck/schema"
)

// Run plays the captures of the cases in a directory. Cut into blocks in several ways they must
// have the facts of the case.
func Run(t *testing.T, d dialect.Dialect, dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", dir, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			frames := Frames(t, archive)
			whole := dialecttest.CutAnywhere(t, d, frames, frames[len(frames)-1].At)
			dialecttest.Golden(t, file, archive, dialecttest.Abridge(whole))
		})
	}
}

// Frames splits the capture of a case into frames.
func Frames(t testing.TB, archive *txtar.Archive) []schema.Frame {
	t.Helper()
	name, form := "", ""
	for _, f := range archive.Files {
		if f.Name != "capture" {
			continue
		}
		for line := range strings.Lines(string(f.Data)) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
			switch value = strings.TrimSpace(value); key {
			case "":
			case "file":
				name = value
			case "form":
				form = value
			default:
				t.Fatalf("%q is not one of file, form", key)
			}
		}
	}
	return Cut(t, name, form)
}

// Cut splits a capture into frames. form may be empty.
func Cut(t testing.TB, name, form string) []schema.Frame {
	t.Helper()
	data := dialecttest.Fixture(t, name)
	switch {
	case form != "":
	case strings.HasSuffix(name, ".json"):
		form = "array"
	case strings.Contains(name, ".sse"):
		form = "sse"
	case strings.HasSuffix(name, ".bin"):
		form = "eventstream"
	default:
		form = "ndjson"
	}
	var framer ingest.Framer
	switch form {
	case "ndjson":
		framer = ndjson.NewFramer(1 << 24)
	case "sse":
		framer = sse.NewFramer(1 << 24)
	case "eventstream":
		framer = eventstream.NewFramer(1 << 24)
	case "array":
		framer, data = sse.NewFramer(1<<24), events(t, data)
	default:
		t.Fatalf("form %q is not one of sse, ndjson, eventstream, array", form)
	}
	var frames []schema.Frame
	emit := func(f *schema.Frame) error {
		own := *f
		own.Raw, own.Cuts = bytes.Clone(f.Raw), nil
		own.Flags &^= schema.FlagJoined
		own.Seq = uint64(len(frames))
		own.At = dialecttest.Start + int64(len(frames)+1)*10e6
		frames = append(frames, own)
		return nil
	}
	if err := framer.Split(data, dialecttest.Start, emit); err != nil {
		t.Fatal(err)
	}
	if err := framer.End(dialecttest.Start, emit); err != nil {
		t.Fatal(err)
	}
	if len(frames) == 0 {
		t.Fatalf("%s holds no frame", name)
	}
	return frames
}

// events returns an array's elements as SSE events.
func events(t testing.TB, data []byte) []byte {
	t.Helper()
	var elements []json.RawMessage
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), &elements); err != nil {
		t.Fatal(err)
	}
	var out, line bytes.Buffer
	for _, e := range elements {
		line.Reset()
		if err := json.Compact(&line, e); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "data: %s\n\n", line.Bytes())
	}
	return out.Bytes()
}

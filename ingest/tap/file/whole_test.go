package file_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tapedeck/ingest"
	"tapedeck/ingest/framing/framingtest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/tap/file"
	"tapedeck/internal/bounded"
	"tapedeck/schema"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(asFollower); path != "" {
		followForEver(path)
	}
	goleak.VerifyTestMain(m)
}

func recorder(m *ingesttest.Memory) *ingest.Recorder {
	return ingest.NewRecorder(m, ingest.Settings{})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRecord(t *testing.T) {
	dir := t.TempDir()
	for name, tc := range map[string]struct {
		text      string
		frames    uint64
		transport schema.Transport
	}{
		"lines":            {strings.Repeat("{\"n\":1}\n", 100_000), 100_000, schema.NDJSON},
		"events":           {strings.Repeat("data: {}\n\n", 1000), 1000, schema.SSE},
		"empty":            {"", 0, schema.NDJSON},
		"blank":            {"\n\n", 2, schema.NDJSON},
		"no last line end": {"{}\n{}", 2, schema.NDJSON},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			write(t, path, tc.text)
			var m ingesttest.Memory
			var done, total int64
			sum, err := file.Record(t.Context(), recorder(&m), ingest.StreamOptions{}, file.Options{
				Path: path, Progress: func(d, of int64) { done, total = d, of },
			})
			if err != nil {
				t.Fatal(err)
			}
			if sum.Frames != tc.frames || string(m.Raw(sum.StreamID, schema.Receive)) != tc.text {
				t.Errorf("%d frames, %d bytes; want %d, %d", sum.Frames, sum.Bytes, tc.frames, len(tc.text))
			}
			if n := int64(len(tc.text)); done != n || total != n {
				t.Errorf("progress ended at %d of %d, want %d", done, total, n)
			}
			for _, b := range m.Blocks() {
				if b.State.Transport != tc.transport || b.State.Source != path {
					t.Errorf("state %+v", b.State)
				}
			}
		})
	}
}

func TestRecordCaptures(t *testing.T) {
	dir := t.TempDir()
	for name, text := range framingtest.Fixtures(t, ".jsonl", ".sse", ".sse.txt") {
		path := filepath.Join(dir, filepath.Base(name))
		write(t, path, string(text))
		var m ingesttest.Memory
		sum, err := file.Record(t.Context(), recorder(&m), ingest.StreamOptions{}, file.Options{Path: path})
		if err != nil || !bytes.Equal(m.Raw(sum.StreamID, schema.Receive), text) {
			t.Errorf("%s: %+v %v", name, sum, err)
		}
		transports := map[schema.Transport]bool{}
		for _, f := range m.Frames(sum.StreamID) {
			transports[f.Transport] = true
		}
		if want := strings.Contains(name, ".sse"); len(transports) != 1 || transports[schema.SSE] != want {
			t.Errorf("%s: transports %v", name, transports)
		}
	}
}

func TestRecordErrors(t *testing.T) {
	var m ingesttest.Memory
	dir := t.TempDir()
	for path, want := range map[string]string{
		dir:                        "is a directory",
		filepath.Join(dir, "none"): "no such file",
	} {
		if _, err := file.Record(t.Context(), recorder(&m), ingest.StreamOptions{}, file.Options{Path: path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// TestNamedPipe: it is recorded as it comes, and a stop keeps what came.
func TestNamedPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	var m ingesttest.Memory
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan ingest.Summary, 1)
	go func() {
		sum, err := file.Record(ctx, recorder(&m), ingest.StreamOptions{Session: "s", Dialect: "generic"}, file.Options{Path: path})
		if err != nil {
			t.Error(err)
		}
		done <- sum
	}()
	pipe, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	for i := range 3 {
		fmt.Fprintf(pipe, "{\"n\":%d}\n", i)
		bounded.Until(t, "the line", func() bool { return len(all(&m)) == i+1 })
	}
	cancel()
	if sum := bounded.Receive(t, done); sum.Frames != 3 {
		t.Errorf("%+v", sum)
	}
	for _, id := range m.Streams() {
		if state, _ := m.State(id, "s"); state.EndReason != "closed" {
			t.Errorf("ended with %q", state.EndReason)
		}
	}
}

// A named pipe without a writer is waited for until the recording is to end.
func TestNamedPipeWithoutWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	var m ingesttest.Memory
	go func() {
		sum, err := file.Record(ctx, recorder(&m), ingest.StreamOptions{}, file.Options{Path: path})
		if err == nil && sum.StreamID != "" {
			err = fmt.Errorf("it recorded %+v", sum)
		}
		done <- err
	}()
	var writer *os.File
	t.Cleanup(func() {
		if writer != nil {
			writer.Close()
		}
	})
	time.AfterFunc(100*time.Millisecond, cancel)
	if err := bounded.Receive(t, done); err != nil {
		t.Error(err)
	}
	if len(m.Streams()) != 0 {
		t.Errorf("it recorded %v", m.Streams())
	}
	bounded.Until(t, "the end of the open", func() bool { // it waits for a writer
		var err error
		writer, err = os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		return err == nil
	})
}

// all lists the texts of all frames of the only stream.
func all(m *ingesttest.Memory) []string {
	var texts []string
	for _, id := range m.Streams() {
		for _, f := range m.Frames(id) {
			texts = append(texts, string(f.Raw))
		}
	}
	return slices.Clip(texts)
}

func BenchmarkRecord(b *testing.B) {
	line := `{"session_id":"run-1764000000000000000","node_id":"run-think-1","event_id":12345,"type":"message_chunk","content":"hello","id":"m1"}`
	path := filepath.Join(b.TempDir(), "large.jsonl")
	text := bytes.Repeat([]byte(line+"\n"), 200_000)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	frames := uint64(0)
	for b.Loop() {
		sum, err := file.Record(b.Context(), ingest.NewRecorder(nothing{}, ingest.Settings{}), ingest.StreamOptions{}, file.Options{Path: path})
		if err != nil {
			b.Fatal(err)
		}
		frames += sum.Frames
	}
	b.ReportMetric(float64(frames)/b.Elapsed().Seconds(), "frames/s")
}

// nothing takes blocks and forgets them.
type nothing struct{}

func (nothing) Publish(_ context.Context, _ ingest.EncodedBlock, done func(error)) error {
	go done(nil)
	return nil
}

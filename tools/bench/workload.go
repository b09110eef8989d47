package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/valyala/fastjson"

	"tapedeck/ingest"
)

// workload is what is recorded: its source, the command that records it, and what must be stored.
type workload struct {
	name, command string
	transport     string // of the frames that are counted
	frames, bytes uint64
	sessions      int     // 0 if the number is unknown
	stored        uint64  // bytes of the texts of all messages; 0 if they are unknown
	expected      *Totals // nil if they are unknown

	// prepare prepares the recording of a pass to a server. The function that it returns records
	// everything, and returns when all is acknowledged.
	prepare func(ctx context.Context, h *harness, up *command, dir string) (recordFunc, error)
	// lines calls yield for each frame with its session and its terminator, for the plain insert.
	// It is nil if the workload is not paired with one.
	lines func(yield func(session string, raw []byte) error) error
	// texts returns a function that returns the texts of each frame in turn, for the plain insert;
	// nil if only frames are inserted.
	texts func() func(raw []byte) ([]string, error)
}

// recordFunc records a workload once.
type recordFunc func(ctx context.Context) (recorded, error)

// recorded is what a command has recorded, and its CPU time.
type recorded struct {
	frames, bytes uint64
	cpu           time.Duration
}

// results returns the empty results of the workload.
func (w *workload) results() *EndToEnd {
	return &EndToEnd{Name: w.name, Command: w.command, Sessions: w.sessions, Expected: w.expected}
}

// fileWorkload returns a workload that records a file of Loom frames with `tapedeck record FILE`.
// env is added to the environment of the command.
func fileWorkload(name, path string, env ...string) (*workload, error) {
	w := &workload{name: name, command: "record", transport: "ndjson"}
	var err error
	if w.frames, w.bytes, err = size(path); err != nil {
		return nil, err
	}
	if w.expected, err = expect(path); err != nil {
		return nil, err
	}
	w.prepare = func(_ context.Context, h *harness, up *command, dir string) (recordFunc, error) {
		return func(ctx context.Context) (recorded, error) {
			var printed bytes.Buffer
			record, err := start(h.Program, dir, env, nil, &printed,
				"record", "--json", "--no-wait", "--server", up.url, path)
			if err != nil {
				return recorded{}, err
			}
			sum, err := record.summary(ctx, &printed)
			return recorded{sum.Frames, sum.Bytes, record.cpu()}, err
		}, nil
	}
	return w, nil
}

// loomWorkload returns the workload of the file of frames, paired with a plain insert of its lines.
func (h *harness) loomWorkload() (*workload, error) {
	w, err := fileWorkload("Loom frames", h.path)
	if err == nil {
		w.lines = loomLines(h.path)
	}
	return w, err
}

// textWorkload generates a file of long texts, and returns its workload.
func (h *harness) textWorkload(name string, frames, perSession int) (*workload, error) {
	path := filepath.Join(h.Dir, fmt.Sprintf("texts-%d.ndjson", perSession))
	if err := GenerateTexts(frames, textSize, perSession, path); err != nil {
		return nil, err
	}
	w, err := fileWorkload(name, path)
	if err != nil {
		return nil, err
	}
	w.sessions = (frames + perSession - 1) / perSession
	w.lines = loomLines(path)
	w.texts = func() func(raw []byte) ([]string, error) {
		return func(raw []byte) ([]string, error) {
			text := fastjson.GetString(raw, "content")
			if text == "" {
				return nil, fmt.Errorf("a frame has no text: %.100s", raw)
			}
			return []string{text}, nil
		}
	}
	textsOf, sizes := w.texts(), map[string]uint64{}
	err = w.lines(func(session string, raw []byte) error {
		texts, err := textsOf(raw)
		for _, text := range texts {
			sizes[session] += uint64(len(text))
		}
		return err
	})
	for _, n := range sizes {
		w.stored += min(n, messageLimit) // the frames of a session are one message
	}
	return w, err
}

// messageLimit is the length of a message's text, bytes, beyond which it is cut.
const messageLimit = 4 << 20

// homeWorkload generates a home with files of Claude Code, and returns the workload of recording it
// with `tapedeck sync`.
func (h *harness) homeWorkload(bytes int) (*workload, error) {
	home := filepath.Join(h.Dir, "home")
	made, err := GenerateHome(bytes, home)
	if err != nil {
		return nil, err
	}
	w := &workload{
		name: agentHome, command: "sync", transport: "ndjson",
		frames: made.Lines, bytes: made.Bytes, sessions: made.Sessions, expected: &made.Totals,
	}
	w.prepare = func(_ context.Context, h *harness, up *command, dir string) (recordFunc, error) {
		return func(ctx context.Context) (recorded, error) { return syncHome(ctx, h, up, dir, home) }, nil
	}
	w.lines = func(yield func(session string, raw []byte) error) error {
		return filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			return eachLine(path, func(raw []byte) error {
				return yield(strings.TrimSuffix(d.Name(), ".jsonl"), raw)
			})
		})
	}
	w.texts = homeTexts
	return w, nil
}

// syncHome records a home to a server.
func syncHome(ctx context.Context, h *harness, up *command, dir, home string) (recorded, error) {
	var printed bytes.Buffer
	cmd, err := start(h.Program, dir, nil, nil, &printed,
		"sync", "--json", "--no-wait", "--server", up.url, "--from", home)
	if err != nil {
		return recorded{}, err
	}
	if err := cmd.wait(ctx); err != nil {
		return recorded{}, err
	}
	var sum struct {
		Frames   uint64
		Bytes    uint64
		Failed   int
		Problems []json.RawMessage
	}
	if err := json.Unmarshal(printed.Bytes(), &sum); err != nil {
		return recorded{}, fmt.Errorf("read the summary that sync printed: %w", err)
	}
	if sum.Failed > 0 || len(sum.Problems) > 0 {
		return recorded{}, fmt.Errorf("sync failed to record %d files, with the problems %s", sum.Failed, sum.Problems)
	}
	return recorded{sum.Frames, sum.Bytes, cmd.cpu()}, nil
}

// summary waits for the end of `tapedeck record --json`, and reads the summary that it printed. It
// fails if the command has failed.
func (c *command) summary(ctx context.Context, printed *bytes.Buffer) (sum ingest.Summary, err error) {
	if err := c.wait(ctx); err != nil {
		return sum, err
	}
	if err := json.Unmarshal(printed.Bytes(), &sum); err != nil {
		return sum, fmt.Errorf("read the summary that record printed: %w", err)
	}
	return sum, nil
}

// loomLines returns a function that reads the frames of a file of Loom frames.
func loomLines(path string) func(yield func(session string, raw []byte) error) error {
	return func(yield func(session string, raw []byte) error) error {
		return eachLine(path, func(raw []byte) error { return yield(fastjson.GetString(raw, "session_id"), raw) })
	}
}

// eachLine calls yield for each line of a file, with its line break. The line is valid until yield
// returns.
func eachLine(path string, yield func(line []byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<20)
	for {
		line, err := in.ReadSlice('\n')
		var long []byte
		for errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, line...)
			line, err = in.ReadSlice('\n')
		}
		if long != nil {
			line = append(long, line...)
		}
		if len(line) > 0 {
			if err := yield(line); err != nil {
				return err
			}
		}
		if err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}

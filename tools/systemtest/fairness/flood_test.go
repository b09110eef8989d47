package fairness

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/coder/websocket"

	"tapedeck/internal/local/programtest"
	"tapedeck/tools/bench"
)

// flood is what records beside a small stream.
type flood struct {
	s      *server
	tenant string
	file   string // frames of many sessions
	frames []byte // its content
}

// floodFrames is the number of frames that a flood repeats.
const floodFrames = 100_000

func (s *server) newFlood(tenant string) *flood {
	s.t.Helper()
	f := &flood{s: s, tenant: tenant, file: filepath.Join(s.t.TempDir(), "flood.ndjson")}
	err := bench.Generate(floodFrames, f.file)
	if err == nil {
		f.frames, err = os.ReadFile(f.file)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return f
}

// chunk is the number of frames that a flood sends at a time.
const chunk = 100

// write sends frames to a body until ctx ends: rate per second, or as many as it takes if rate is
// 0.
func (f *flood) write(ctx context.Context, to *io.PipeWriter, rate int) {
	defer to.Close()
	began, sent := time.Now(), 0
	for rest := f.frames; ctx.Err() == nil; {
		if len(rest) == 0 {
			rest = f.frames
		}
		end := 0
		for range chunk {
			end += bytes.IndexByte(rest[end:], '\n') + 1
			if end == len(rest) {
				break
			}
		}
		if _, err := to.Write(rest[:end]); err != nil {
			return // post returns the error
		}
		rest = rest[end:]
		sent += chunk
		if rate > 0 {
			pause(ctx, time.Until(began.Add(time.Duration(sent)*time.Second/time.Duration(rate))))
		}
	}
}

// body records one body until ctx ends. query may name its session.
func (f *flood) body(query string, rate int) func(context.Context) error {
	return func(ctx context.Context) error {
		body, to := io.Pipe()
		go f.write(ctx, to, rate)
		return f.s.post(f.tenant, query, body)
	}
}

// short records bodies of n frames one after the other until ctx ends.
func (f *flood) short(n int) func(context.Context) error {
	lines := bytes.SplitAfter(f.frames, []byte("\n"))
	return func(ctx context.Context) error {
		for i := 0; ctx.Err() == nil; i++ {
			from := i * n % (len(lines) - n)
			if err := f.s.post(f.tenant, fmt.Sprintf("session=short-%d", i), bytes.NewReader(bytes.Join(lines[from:from+n], nil))); err != nil {
				return err
			}
		}
		return nil
	}
}

// webSocket records the messages of a WebSocket until ctx ends.
func (f *flood) webSocket(ctx context.Context) error {
	url := "ws" + strings.TrimPrefix(f.s.URL, "http") + "/v1/ingest/ws?session=flood-ws"
	c, _, err := websocket.Dial(f.s.t.Context(), url, &websocket.DialOptions{HTTPHeader: f.s.header(f.tenant)})
	if err != nil {
		return err
	}
	defer c.CloseNow()
	go func() { // acknowledgements
		for {
			if _, _, err := c.Read(f.s.t.Context()); err != nil {
				return // Write returns the error
			}
		}
	}()
	for ctx.Err() == nil {
		for line := range bytes.Lines(f.frames) {
			if err := c.Write(f.s.t.Context(), websocket.MessageText, line); err != nil {
				return err
			}
			if ctx.Err() != nil {
				break
			}
		}
	}
	_ = c.Close(websocket.StatusNormalClosure, "") // the reader above may take the answer
	return nil
}

// record runs `tapedeck record FILE` again and again until ctx ends.
func (f *flood) record(ctx context.Context) error {
	home := f.s.t.TempDir()
	for ctx.Err() == nil {
		cmd := exec.CommandContext(f.s.t.Context(), programtest.Path(f.s.t), "record", "--again", "--no-wait", f.file)
		cmd.Env = append(os.Environ(), "TAPEDECK_SERVER="+f.s.URL, "TAPEDECK_TOKEN="+f.s.token, "XDG_STATE_HOME="+home, "XDG_DATA_HOME="+home)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
	}
	return nil
}

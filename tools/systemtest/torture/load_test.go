package torture

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/coder/websocket"

	"tapedeck/tools/bench"
)

// pool is the sessions that rounds take from: each its frames, lines without
// their ends.
type pool [][][]byte

// poolFrames is how many frames the pool holds, about.
const poolFrames = 40_000

func newPool(dir string) (pool, error) {
	path := filepath.Join(dir, "pool.ndjson")
	if err := bench.Generate(poolFrames, path); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var p pool
	last := ""
	for line := range bytes.Lines(data) {
		var head struct {
			Session string `json:"session_id"`
		}
		if err := json.Unmarshal(line, &head); err != nil {
			return nil, err
		}
		if head.Session != last {
			p, last = append(p, nil), head.Session
		}
		p[len(p)-1] = append(p[len(p)-1], bytes.TrimSpace(line))
	}
	return p, nil
}

// named returns a session's frames under another id.
func (p pool) named(n int, id string) [][]byte {
	frames := p[n%len(p)]
	var head struct {
		Session string `json:"session_id"`
	}
	if err := json.Unmarshal(frames[0], &head); err != nil {
		panic(err) // it was read before
	}
	out := make([][]byte, len(frames))
	for i, f := range frames {
		out[i] = bytes.Replace(f, []byte(head.Session), []byte(id), 1)
	}
	return out
}

// recorded is a session that was sent, and the frames that were acknowledged.
type recorded struct {
	id     string
	how    string
	frames [][]byte
	// acked is how many of the frames were acknowledged; whole, that there are
	// to be exactly all of them.
	acked int
	whole bool
	why   string // why it is not whole
}

// load is the sources of one round and the sessions that they send.
type load struct {
	cluster *cluster
	pool    pool
	round   int
	random  *rand.Rand
	number  atomic.Int64
	stop    chan struct{} // closed when no new session is to be begun
	sources sync.WaitGroup

	mu       sync.Mutex // guards what follows
	sessions []*recorded
	tap      *process // that follows a file, while it runs
}

func (l *load) over() bool {
	select {
	case <-l.stop:
		return true
	default:
		return false
	}
}

// next makes a session to send.
func (l *load) next(how string) *recorded {
	n := l.number.Add(1)
	id := fmt.Sprintf("round-%d-%d", l.round, n)
	r := &recorded{id: id, how: how, frames: l.pool.named(l.round*31+int(n), id)}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sessions = append(l.sessions, r)
	return r
}

// pace is the pause between pieces of a session, so that faults hit it in flight.
func pace() { time.Sleep(time.Duration(5+rand.IntN(25)) * time.Millisecond) } // so that faults hit the session in flight

// pieces returns a session's lines in pieces that do not end where lines do.
func (r *recorded) pieces() [][]byte {
	text := append(bytes.Join(r.frames, []byte("\n")), '\n')
	var out [][]byte
	for len(text) > 0 {
		n := min(500+rand.IntN(4000), len(text))
		out, text = append(out, text[:n]), text[n:]
	}
	return out
}

// post sends sessions as bodies.
func (l *load) post(ctx context.Context) {
	for !l.over() {
		r := l.next("body")
		body, w := io.Pipe()
		go func() {
			for _, piece := range r.pieces() {
				if _, err := w.Write(piece); err != nil {
					return
				}
				pace()
			}
			w.Close()
		}()
		r.whole, r.why = l.postOne(ctx, body)
		body.Close()
		if r.whole {
			r.acked = len(r.frames)
		}
	}
}

func (l *load) postOne(ctx context.Context, body io.Reader) (whole bool, why string) {
	ctx, cancel := context.WithTimeout(ctx, healTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.cluster.ingestURL+"/v1/ingest", body)
	if err != nil {
		return false, err.Error()
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		pace() // the server is away
		return false, err.Error()
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK || err != nil {
		return false, fmt.Sprint(resp.Status, " ", string(answer), err)
	}
	return true, ""
}

// socket sends sessions as WebSocket messages.
func (l *load) socket(ctx context.Context) {
	for !l.over() {
		r := l.next("WebSocket")
		if err := l.socketOne(ctx, r); err != nil {
			r.why = err.Error()
			pace()
		}
	}
}

func (l *load) socketOne(ctx context.Context, r *recorded) error {
	ctx, cancel := context.WithTimeout(ctx, healTimeout)
	defer cancel()
	c, _, err := websocket.Dial(ctx, strings.Replace(l.cluster.ingestURL, "http", "ws", 1)+"/v1/ingest/ws", nil)
	if err != nil {
		return err
	}
	defer c.CloseNow()
	go func() {
		for _, f := range r.frames {
			if c.Write(ctx, websocket.MessageText, f) != nil {
				return // reading reports why
			}
			if rand.IntN(20) == 0 {
				pace()
			}
		}
	}()
	for r.acked < len(r.frames) {
		_, text, err := c.Read(ctx)
		if err != nil {
			return err
		}
		var m struct {
			Ack *int `json:"ack"`
		}
		if err := json.Unmarshal(text, &m); err != nil || m.Ack == nil {
			return fmt.Errorf("the server says %s", text)
		}
		r.acked = *m.Ack + 1
	}
	r.whole = true
	return c.Close(websocket.StatusNormalClosure, "")
}

// command sends sessions through "tapedeck record -".
func (l *load) command(ctx context.Context, n int) {
	for !l.over() {
		r := l.next("record -")
		err := l.record(ctx, n, "-", func(in io.Writer) error {
			for _, piece := range r.pieces() {
				if _, err := in.Write(piece); err != nil {
					return err
				}
				pace()
			}
			return nil
		})
		if err == nil {
			r.whole, r.acked = true, len(r.frames)
		} else {
			r.why = err.Error()
			pace()
		}
	}
}

// record runs "tapedeck record" with its own spool, and writes to it.
func (l *load) record(ctx context.Context, spool int, source string, write func(io.Writer) error) error {
	ctx, cancel := context.WithTimeout(ctx, 2*healTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, l.cluster.program, "record", "--no-wait", "--server", l.cluster.ingestURL, source)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(l.cluster.dir, fmt.Sprint("state", spool)))
	var said bytes.Buffer
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		err = write(in)
		in.Close()
		err = errors.Join(err, cmd.Wait())
	}
	if err != nil {
		return fmt.Errorf("%w: %s", err, said.String())
	}
	return nil
}

// bulk sends n sessions as fast as it goes, in one file through "tapedeck record FILE".
func (l *load) bulk(ctx context.Context, n int) {
	var mine []*recorded
	var text bytes.Buffer
	for range n {
		r := l.next("record FILE")
		mine = append(mine, r)
		for _, f := range r.frames {
			text.Write(f)
			text.WriteByte('\n')
		}
	}
	number := l.number.Add(1) // faults may happen twice in a round
	path := filepath.Join(l.cluster.dir, fmt.Sprintf("bulk-%d-%d.ndjson", l.round, number))
	err := os.WriteFile(path, text.Bytes(), 0o600)
	if err == nil {
		err = l.record(ctx, int(number), path, func(io.Writer) error { return nil })
	}
	for _, r := range mine {
		if err == nil {
			r.whole, r.acked = true, len(r.frames)
		} else {
			r.why = err.Error()
		}
	}
}

// follow has "tapedeck record --follow" read a file that grows by sessions. The
// tap is a part that is killed as well.
func (l *load) follow(ctx context.Context) error {
	path := filepath.Join(l.cluster.dir, fmt.Sprintf("followed-%d.ndjson", l.round))
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	tap := &process{name: "tap", start: func() *exec.Cmd {
		cmd := exec.Command(l.cluster.program, "record", "--no-wait", "--server", l.cluster.ingestURL, "--follow", path)
		cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(l.cluster.dir, "state-follow"))
		return cmd
	}}
	if err := tap.run(); err != nil {
		return err
	}
	l.mu.Lock()
	l.tap = tap
	l.mu.Unlock()
	defer tap.end(syscall.SIGINT)
	var mine []*recorded
	for !l.over() {
		r := l.next("follow")
		r.whole, r.acked = true, len(r.frames) // a followed file is read in the end
		mine = append(mine, r)
		for _, piece := range r.pieces() {
			if _, err := f.Write(piece); err != nil {
				return err
			}
			pace()
			if err := tap.run(); err != nil { // again, if it was killed
				return err
			}
		}
	}
	return l.readToTheEnd(ctx, tap, mine)
}

// readToTheEnd polls until the last of the followed sessions can be read.
func (l *load) readToTheEnd(ctx context.Context, tap *process, mine []*recorded) error {
	why := ""
	for end := time.Now().Add(healTimeout); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(100 * time.Millisecond) { // polls the condition
		if err := tap.run(); err != nil {
			return err
		}
		if why = l.cluster.missing(ctx, mine[len(mine)-1]); why == "" {
			return nil
		}
	}
	return fmt.Errorf("the followed file was not read to its end: %s\n%s", why, tap.log.tail())
}

// killTap kills the tap that follows a file, if there is one.
func (l *load) killTap() {
	l.mu.Lock()
	tap := l.tap
	l.mu.Unlock()
	if tap == nil {
		return
	}
	tap.end(syscall.SIGKILL)
}

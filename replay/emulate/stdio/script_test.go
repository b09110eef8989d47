package stdio

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// A script has lines like "20 > {…}": milliseconds, a direction, and a message. ">" is of the client,
// "<" of the agent. Without a version it is {"jsonrpc":"2.0",…}. "end" is the end of the input, and in
// a recording that of the process, with its reason.
type entry struct {
	at   time.Duration
	way  string
	line string
}

func parseScript(t *testing.T, script string) (entries []entry) {
	t.Helper()
	for text := range strings.Lines(script) {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		ms, rest, _ := strings.Cut(text, " ")
		way, line, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(ms)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		line = strings.ReplaceAll(line, "{.", `{"jsonrpc":"2.0",`)
		entries = append(entries, entry{time.Duration(n) * time.Millisecond, way, line})
	}
	return entries
}

// record adds a recorded process to a tape.
func record(t *testing.T, tape *replaytest.Tape, script string) {
	t.Helper()
	s := tape.Stream(schema.NDJSON, "mcp")
	for _, e := range parseScript(t, script) {
		switch e.way {
		case "end":
			s.Ended(e.line)
		case ">":
			s.Add(e.at, e.line+"\n", func(f *schema.Frame) { f.Direction = schema.Send })
		case "<":
			s.Add(e.at, e.line+"\n")
		}
	}
}

// heard is what a client received.
type heard struct {
	lines []string // "20 {…}": milliseconds since the start, and a line
	exit  int
	ended time.Duration // when Serve returned
	log   string
}

// talk plays a tape to a client, in a bubble. The input ends with the client's last line unless the
// script has its end.
func talk(t *testing.T, tape *replaytest.Tape, opts Options, client string) (h heard) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		rec, err := Read(t.Context(), tape, replaytest.Session)
		if err != nil {
			t.Fatal(err)
		}
		var log strings.Builder
		opts.Log = slog.New(slog.NewTextHandler(&log, nil))
		in, to := io.Pipe()
		from, out := io.Pipe()
		began := time.Now()
		read := make(chan struct{})
		go func() {
			defer close(read)
			for lines := bufio.NewScanner(from); lines.Scan(); {
				h.lines = append(h.lines, fmt.Sprintf("%d %s", time.Since(began).Milliseconds(), lines.Text()))
			}
		}()
		written := make(chan struct{})
		go func() {
			defer close(written)
			defer to.Close()
			for _, e := range parseScript(t, client) {
				time.Sleep(time.Until(began.Add(e.at))) // virtual time: when the script sends the line
				if e.way == ">" {
					if _, err := io.WriteString(to, e.line+"\n"); err != nil {
						return
					}
				}
			}
		}()
		h.exit, err = rec.Serve(t.Context(), in, out, opts)
		if err != nil {
			t.Error(err)
		}
		h.ended = time.Since(began)
		in.Close()
		out.Close()
		<-read
		<-written
		h.log = log.String()
	})
	return h
}

// hears compares what a client received with a script.
func (h *heard) hears(t *testing.T, want string) {
	t.Helper()
	var lines []string
	for _, e := range parseScript(t, want) {
		lines = append(lines, fmt.Sprintf("%d %s", e.at.Milliseconds(), e.line))
	}
	if got, want := strings.Join(h.lines, "\n"), strings.Join(lines, "\n"); got != want {
		t.Errorf("the client received\n%s\nwant\n%s", got, want)
	}
}

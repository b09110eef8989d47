package stdio

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"tapedeck/replay"
	"tapedeck/replay/emulate"
	"tapedeck/schema"
)

// Recording is a session that can be played to a client. All of it is in memory.
type Recording struct {
	session string
	turns   []*turn // in recorded order
	bare    bool    // messages lack the member jsonrpc, as those of Codex do
}

// ErrOneWay is the error for a session without messages of a client over standard input.
var ErrOneWay = errors.New("no messages of a client were recorded")

// Read reads a session. The error is ErrOneWay if no process of it was recorded in both directions.
func Read(ctx context.Context, t replay.Tape, session string) (*Recording, error) {
	r := &Recording{session: session, bare: true}
	processes := map[string]*process{}
	err := emulate.Scan(ctx, t, replay.Query{Bare: true}, func(f *replay.Frame) error {
		if f.Transport != schema.NDJSON {
			return nil
		}
		p := processes[f.Stream.StreamID]
		if p == nil {
			p = newProcess(r, len(processes), f.Stream.FirstAt)
			processes[f.Stream.StreamID] = p
		}
		p.frame(&f.Frame)
		return nil
	})
	if err != nil {
		return nil, err
	}
	twoWay := false
	for id, p := range processes {
		p.end(replay.StreamOf(t, id))
		twoWay = twoWay || len(p.turns) > 1
	}
	if !twoWay {
		return nil, ErrOneWay
	}
	return r, nil
}

// frame reads a frame. A line that was recorded in pieces is complete with its last piece.
func (p *process) frame(f *schema.Frame) {
	pieces := &p.pieces[f.Direction]
	if f.Flags.Has(schema.FlagOversize) && !bytes.HasSuffix(f.Raw, []byte("\n")) {
		*pieces = append(*pieces, f.Raw...)
		return
	}
	line := slices.Concat(*pieces, f.Raw)
	*pieces = nil
	p.line(f.Direction, f.At, line)
}

// end reads the end of the process.
func (p *process) end(s *schema.StreamState) {
	for way, rest := range p.pieces {
		if len(rest) > 0 {
			p.line(schema.Direction(way), s.LastAt, rest)
		}
	}
	code := exitCode(s.EndReason)
	if code == 0 || len(p.open) == 0 {
		return
	}
	last := p.open[len(p.open)-1]
	last.steps = append(last.steps, step{kind: exits, at: s.Ended, code: code})
}

// exitCode returns the exit code in the reason for which a stream ended, 0 if there is none. The
// codes above 128 are of processes that a signal ended, which the client may have sent.
func exitCode(reason string) int {
	text, _ := strings.CutPrefix(reason, "error: exit status ")
	if code, err := strconv.Atoi(text); err == nil && code > 0 && code < 128 {
		return code
	}
	return 0
}

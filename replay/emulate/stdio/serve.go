package stdio

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/valyala/fastjson"

	"tapedeck/replay/emulate"
	"tapedeck/replay/emulate/jsonrpc"
)

// Options configure how a recording is played.
type Options struct {
	Pacing emulate.Pacing // From and Take are not used
	Log    *slog.Logger
}

// server plays a recording to one client.
type server struct {
	rec    *Recording
	opts   Options
	chosen map[*turn]int // how often each turn was played
	// process is the number of the process whose turn was chosen last, -1 for none.
	process int
	noted   map[string]bool // what the client did that is logged once

	writing sync.Mutex // held while a line is written; guards cut
	out     io.Writer
	cut     bool // the last line has no end

	mu    sync.Mutex             // guards the fields below
	plays []*play                // those that are in progress
	asked map[string][]*question // requests of the agent without an answer, by their ids as JSON

	running sync.WaitGroup
	closed  chan struct{} // closed at the end of the input
	exit    chan int      // exit code of a process that ended by itself
	failed  chan error    // of writing
}

// Serve plays the recording to the client that writes to in and reads from out. It returns the exit
// code of the process: 0 when the input has ended and what the client asked for was answered, or
// when ctx ends; the recorded one where the recorded process ended by itself before it had answered
// a request. The error is one of reading the input or writing the output. A read of the input may
// still be pending when Serve returns.
func (r *Recording) Serve(ctx context.Context, in io.Reader, out io.Writer, opts Options) (exit int, err error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	s := &server{
		rec: r, opts: opts, out: out, chosen: map[*turn]int{}, process: -1, noted: map[string]bool{},
		asked: map[string][]*question{}, closed: make(chan struct{}), exit: make(chan int, 1), failed: make(chan error, 1),
	}
	lines := make(chan line)
	go readLines(in, lines, ctx.Done())
	if start := r.start(); start != nil {
		s.play(ctx, start, &jsonrpc.Call{}, now())
	}
	var over chan struct{}
	for {
		select {
		case <-ctx.Done():
			return 0, nil
		case code := <-s.exit:
			return code, nil
		case err := <-s.failed:
			return 0, err
		case <-over:
			return s.end()
		case l, more := <-lines:
			switch {
			case !more:
				lines, over = nil, make(chan struct{})
				close(s.closed)
				go func() {
					s.running.Wait()
					close(over)
				}()
			case l.err != nil:
				return 0, fmt.Errorf("read the client's messages: %w", l.err)
			default:
				s.line(ctx, &l)
			}
		}
	}
}

// end returns how the last turn ended.
func (s *server) end() (exit int, err error) {
	select {
	case code := <-s.exit:
		return code, nil
	case err := <-s.failed:
		return 0, err
	default:
		return 0, nil
	}
}

// start returns the start of the process that was recorded last, if it sent anything before the
// client did; else nil.
func (r *Recording) start() (last *turn) {
	for _, t := range r.turns {
		if t.call.Method == "" {
			last = t
		}
	}
	if last != nil && len(last.steps) == 0 {
		return nil
	}
	return last
}

// line reads a line of the client.
func (s *server) line(ctx context.Context, l *line) {
	text := bytes.TrimSpace(l.text)
	if l.long {
		if s.once("long line") {
			s.opts.Log.Warn("emulate: a line of the client is too long and was refused", "limit", lineLimit)
		}
		s.refuse("null", jsonrpc.InvalidRequest, fmt.Sprintf("A line of more than %d MiB is not read.", lineLimit>>20))
		return
	}
	if len(text) == 0 {
		return
	}
	v := parse(text)
	switch {
	case v == nil:
		if s.once("no JSON") {
			s.opts.Log.Warn("emulate: a line of the client is no JSON")
		}
		s.refuse("null", jsonrpc.ParseError, "The line is no JSON.")
	case v.Type() == fastjson.TypeArray && len(v.GetArray()) > 0:
		for _, v := range v.GetArray() {
			s.message(ctx, v, l)
		}
	default:
		s.message(ctx, v, l)
	}
}

// message reads a message of the client.
func (s *server) message(ctx context.Context, v *fastjson.Value, l *line) {
	c := jsonrpc.Sent(v)
	switch kindOf(v) {
	case answer:
		s.answered(c.ID, l.at)
	case notification:
		if cancels(c.Method) {
			s.playOf(v).cancel(c.Method, l.at)
		}
		if t, _ := s.choose(&c, scopesOf(v)); t != nil {
			s.play(ctx, t, &c, l.at)
		}
	case request:
		s.request(ctx, v, &c, l)
	case invalid:
		if s.once("no message") {
			s.opts.Log.Warn("emulate: a message of the client is neither a request nor an answer")
		}
		s.refuse(orNull(c.ID), jsonrpc.InvalidRequest, "The message is neither a request nor an answer.")
	}
}

// request plays the answer to a request.
func (s *server) request(ctx context.Context, v *fastjson.Value, c *jsonrpc.Call, l *line) {
	if s.waits(c.ID) {
		if s.once("id in use") {
			s.opts.Log.Warn("emulate: the id of a request is in use", "id", c.ID)
		}
		s.refuse(c.ID, jsonrpc.InvalidRequest, "A request with this id has no answer yet.")
		return
	}
	var cancelled *play
	if cancels(c.Method) {
		cancelled = s.playOf(v)
	}
	t, refused := s.choose(c, scopesOf(v))
	switch {
	case t != nil:
		s.play(ctx, t, c, l.at)
	case cancelled != nil:
		s.reply(c.ID, `"result":{}`) // before the end of the turn
	default:
		s.refuse(c.ID, refused.code, refused.text)
	}
	cancelled.cancel(c.Method, l.at)
}

// once reports whether the client does something for the first time.
func (s *server) once(what string) bool {
	before := s.noted[what]
	s.noted[what] = true
	return !before
}

func orNull(id string) string {
	if id == "" {
		return "null"
	}
	return id
}

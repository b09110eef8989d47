package agenthistory

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/valyala/fastjson"

	"tapedeck/ingest"
	"tapedeck/ingest/dialect"
)

// headBytes and headLines bound how much of a file is read to identify it.
const (
	headBytes = 1 << 20
	headLines = 200
	// headRest bounds the rest of a line that begins within headBytes: a first prompt may contain
	// images.
	headRest = ingest.DefaultFrameLimit - headBytes
)

// longHeads is locked while the rest of a line is in memory.
var longHeads sync.Mutex

// Reasons why a source is not recorded.
var (
	errForeign = errors.New("not a file of an agent whose sessions are read")
	// errEmpty is not reported: agents create files before the first message.
	errEmpty = errors.New("it has no messages")
)

// foreignError is an errForeign with a specific message.
type foreignError struct{ error }

// Is implements the method that errors.Is calls.
func (*foreignError) Is(target error) bool { return target == errForeign }

// isForeign reports whether an error says that a path is not a file of a known agent.
func isForeign(err error) bool {
	return errors.Is(err, errForeign) || errors.Is(err, errOutside) || errors.Is(err, errLink)
}

// readHead sets Agent and Head from the beginning of a file. parent is the agent's id of the
// session that started this one, "" for none.
func (s *Source) readHead() (parent string, err error) {
	switch {
	case s.convert != nil:
		return "", s.convertedHead()
	case s.kind == tree:
		return "", nil // Find has read it
	}
	f, err := openRegular(s.Path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	s.Head = Head{name: filepath.Base(s.Path)}
	if s.kind == document {
		err = s.documentHead(f)
	} else {
		parent, err = s.linesHead(f)
	}
	if s.started == 0 {
		s.started = s.Modified.UnixNano()
	}
	return parent, err
}

// linesHead reads the first lines.
func (s *Source) linesHead(f *os.File) (parent string, err error) {
	limited := &io.LimitedReader{R: f, N: headBytes}
	r := bufio.NewReaderSize(limited, 64<<10)
	var parser fastjson.Parser
	h := headReader{source: s}
	whole := 0
	for !h.done() {
		line, err := r.ReadBytes('\n')
		last := errors.Is(err, io.EOF) && limited.N == 0
		if last {
			longHeads.Lock()
			defer longHeads.Unlock()
			limited.N = headRest
			var rest []byte
			rest, err = r.ReadBytes('\n')
			line = append(line, rest...)
		}
		if err == nil {
			whole++
		}
		if v, bad := parser.ParseBytes(bytes.TrimSpace(line)); bad == nil && err == nil {
			h.read(v)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		if err != nil || last {
			break
		}
	}
	switch {
	case s.Session != "":
		return h.parent, nil
	case formats[s.Agent] != nil && h.lines > 0 && !h.known:
		s.unknown = "lines"
		s.Session = stem(s.Path)
		if above := formats[s.Agent].folder(s.Path); above > 0 {
			s.Session = parentDir(s.Path, above)
			for n := 1; n <= above; n++ {
				s.name = parentDir(s.Path, n) + "/" + s.name
			}
		}
		return "", nil
	case h.known || whole == 0 && s.Size < headBytes:
		return "", errEmpty // lines of the agent without a message, or an unterminated first line
	}
	return "", errForeign
}

// headReader reads the lines of a head.
type headReader struct {
	source *Source
	parent string
	lines  int
	known  bool // one of the lines is of the agent
}

// done reports whether all fields of the head are set.
func (h *headReader) done() bool {
	s := h.source
	return s.Session != "" && s.started != 0 && (s.Project != "" || s.Agent != ClaudeCode) || h.lines >= headLines
}

func (h *headReader) read(v *fastjson.Value) {
	s := h.source
	h.lines++
	if s.started == 0 {
		s.started = timeOf(v)
	}
	agent := s.Agent
	if f := formats[agent]; f == nil {
		if agent = agentOf(v); agent == "" || s.Agent != "" && agent != s.Agent {
			return
		}
	} else if !f.is(v) {
		return
	}
	h.known, s.Agent = true, agent
	if f := formats[agent]; f != nil {
		f.read(h, v)
		return
	}
	switch agent {
	case ClaudeCode:
		s.claudeHead(v)
	case Codex:
		if s.Session == "" { // otherwise the line belongs to the session that this one was forked from
			h.parent = s.codexHead(v)
		}
	case GeminiCLI:
		if s.Session == "" {
			s.Session, s.Project = string(v.GetStringBytes("sessionId")), geminiProject(s.Path)
			if parent := geminiParent(s.Path); parent != s.Session {
				h.parent = parent
			}
		}
	}
}

// timeOf returns the time that a line states, ns: a text, a number of seconds, or one of milliseconds.
func timeOf(v *fastjson.Value) int64 {
	if ms := v.GetFloat64("time"); ms >= 1e11 && ms < 9e12 {
		return int64(ms * 1e6)
	}
	if seconds := v.GetFloat64("timestamp"); seconds > 0 && seconds < 1e11 {
		return int64(seconds*1e6) * 1e3
	}
	return dialect.TextTime(dialect.FirstText(v, "timestamp", "startTime"))
}

// read reads a line of a file with this format.
func (f *format) read(h *headReader, v *fastjson.Value) {
	s := h.source
	if s.Session == "" {
		h.parent = f.head(s, v)
	}
	if f.version != nil {
		if version := f.version(v); version != "" && !f.known(version) {
			s.unknown = "version " + version
		}
	}
}

// agentOf returns the agent that wrote a line, "" if it is not known.
func agentOf(v *fastjson.Value) Agent {
	if agent := ofFormat(v); agent != "" {
		return agent
	}
	typ := string(v.GetStringBytes("type"))
	switch {
	case typ == "session_meta" && v.Get("payload") != nil:
		return Codex
	case v.GetStringBytes("sessionId") != nil && v.GetStringBytes("projectHash") != nil:
		return GeminiCLI
	case typ != "" && v.GetStringBytes("sessionId") != nil,
		typ == "summary" && v.GetStringBytes("leafUuid") != nil,
		typ == "file-history-snapshot" && v.GetStringBytes("messageId") != nil:
		return ClaudeCode
	}
	return ""
}

package agenthistory

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/google/uuid"
	"github.com/valyala/fastjson"

	"tapedeck/ingest"
	"tapedeck/ingest/dialect"
)

// headBytes and headLines bound how much of a file is read to identify it. A line that begins within headBytes is
// read whole, if it fits into a frame: a first prompt may contain images.
const (
	headBytes = 1 << 20
	headLines = 200
	headLong  = 4 // lines that are longer than a frame
)

// longHeads is locked while a line of more than headBytes is in memory.
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
	lines := headLineReader{r: bufio.NewReaderSize(f, 64<<10)}
	defer lines.close()
	var parser fastjson.Parser
	h := headReader{source: s}
	whole := 0
	var end error
	for !h.done() && lines.size < headBytes && lines.long < headLong {
		var line []byte
		if line, end = lines.next(); end != nil {
			break
		}
		whole++
		if v, bad := parser.ParseBytes(bytes.TrimSpace(line)); bad == nil {
			h.read(v)
		}
	}
	if end != nil && !errors.Is(end, io.EOF) {
		return "", end
	}
	if s.Session == "" && (end == nil || lines.long > 0) {
		s.sessionOfName(&h)
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

// sessionOfName takes the session of Claude Code or Codex from the name of a file whose first lines do not state it, or
// are too long to be read.
func (s *Source) sessionOfName(h *headReader) {
	name := stem(s.Path)
	id := name[max(len(name)-len(uuid.UUID{}.String()), 0):]
	switch {
	case uuid.Validate(id) != nil:
	case h.known && s.Agent == ClaudeCode && id == name:
		s.Session = id
	case !h.known && strings.HasPrefix(name, "rollout-"):
		s.Agent, s.Session = Codex, id
	}
}

// headLineReader reads the lines of a head.
type headLineReader struct {
	r      *bufio.Reader
	size   int  // bytes of the lines so far
	long   int  // lines that were left out
	locked bool // longHeads is locked
}

func (l *headLineReader) close() {
	if l.locked {
		longHeads.Unlock()
	}
}

// next returns the next line. A line that is longer than a frame is left out: it is empty. The error for an
// unterminated line is io.EOF.
func (l *headLineReader) next() (line []byte, err error) {
	n := 0
	for {
		var piece []byte
		piece, err = l.r.ReadSlice('\n')
		if n += len(piece); n > headBytes && !l.locked {
			longHeads.Lock()
			l.locked = true
		}
		if n <= ingest.DefaultFrameLimit {
			line = append(line, piece...)
		} else {
			line = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			break
		}
	}
	if n > ingest.DefaultFrameLimit {
		l.long++
	}
	l.size += len(line)
	return line, err
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
	if h.lines >= headLines && (s.Session != "" || !h.known) {
		return true
	}
	return s.Session != "" && s.started != 0 && (s.Project != "" || s.Agent != ClaudeCode)
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

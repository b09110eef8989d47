package history

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
)

// headBytes and headLines bound the beginning of a file that is read to find out what it is.
const (
	headBytes = 1 << 20
	headLines = 200
)

// Reasons for which a source is not recorded.
var (
	errForeign = errors.New("no file of Claude Code, Codex, Gemini CLI or OpenCode")
	// errEmpty is no problem: agents begin files before anything is said.
	errEmpty = errors.New("nothing was said in it")
)

func isForeign(err error) bool { return errors.Is(err, errForeign) }

// readHead reads what the beginning of a file says of it. parent is the agent's id of the
// session that began this one, "" for none.
func (s *Source) readHead() (parent string, err error) {
	if s.kind == tree {
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
	r := bufio.NewReaderSize(io.LimitReader(f, headBytes), 64<<10)
	var parser fastjson.Parser
	h := headReader{source: s}
	whole := 0
	for !h.done() {
		line, err := r.ReadBytes('\n')
		if err == nil {
			whole++
		}
		if v, bad := parser.ParseBytes(bytes.TrimSpace(line)); bad == nil && err == nil {
			h.read(v)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		if err != nil {
			break
		}
	}
	switch {
	case s.Session != "":
		return h.parent, nil
	case h.known || whole == 0 && s.Size < headBytes:
		return "", errEmpty // lines of the agent that are no messages, or a first line that is half-written
	}
	return "", errForeign
}

// headReader reads the lines of a head.
type headReader struct {
	source *Source
	parent string
	lines  int
	known  bool // a line is of the agent's
}

// done reports whether nothing more is expected of further lines.
func (h *headReader) done() bool {
	s := h.source
	return s.Session != "" && s.started != 0 && (s.Project != "" || s.Agent != ClaudeCode) || h.lines >= headLines
}

func (h *headReader) read(v *fastjson.Value) {
	s := h.source
	h.lines++
	if s.started == 0 {
		s.started = dialect.TextTime(dialect.FirstText(v, "timestamp", "startTime"))
	}
	agent := agentOf(v)
	if agent == "" || s.Agent != "" && agent != s.Agent {
		return
	}
	h.known, s.Agent = true, agent
	switch agent {
	case ClaudeCode:
		s.claudeHead(v)
	case Codex:
		if s.Session == "" { // otherwise of a session that this one was forked from
			h.parent = s.codexHead(v)
		}
	case GeminiCLI:
		s.Session, s.Project = string(v.GetStringBytes("sessionId")), geminiProject(s.Path)
	}
}

// agentOf returns the agent that a line is of, "" for none.
func agentOf(v *fastjson.Value) Agent {
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

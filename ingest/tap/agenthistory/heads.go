package agenthistory

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/google/uuid"
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
)

// claudeHead reads a line of Claude Code. The file of a session is named after the session, even if
// it begins with lines of another session. The file of a sub-agent is not, and its lines name the
// parent's session.
func (s *Source) claudeHead(v *fastjson.Value) {
	id := v.GetStringBytes("sessionId")
	if id == nil || v.GetStringBytes("uuid") == nil {
		return // only messages begin a session
	}
	if s.Session == "" {
		s.Session = string(id)
		if stem := strings.TrimSuffix(s.name, ".jsonl"); uuid.Validate(stem) == nil {
			s.Session = stem
		}
	}
	if s.Project == "" {
		s.Project = string(v.GetStringBytes("cwd"))
	}
	if s.Branch == "" {
		s.Branch = string(v.GetStringBytes("gitBranch"))
	}
}

// codexHead reads the head of a rollout, and returns the session that started this one as a
// sub-agent.
func (s *Source) codexHead(v *fastjson.Value) (parent string) {
	p := v.Get("payload")
	s.Session = string(dialect.FirstText(p, "id", "session_id"))
	s.Project, s.Branch = string(p.GetStringBytes("cwd")), string(p.GetStringBytes("git", "branch"))
	return string(p.GetStringBytes("source", "subagent", "thread_spawn", "parent_thread_id"))
}

// Members of a Gemini CLI conversation that precede its messages.
var (
	geminiSession = regexp.MustCompile(`"sessionId"\s*:\s*"([^"\\]+)"`)
	geminiHash    = regexp.MustCompile(`"projectHash"\s*:\s*"`)
	geminiStart   = regexp.MustCompile(`"startTime"\s*:\s*"([^"\\]+)"`)
)

// documentHead reads the beginning of a conversation of the Gemini CLI.
func (s *Source) documentHead(f *os.File) error {
	head := make([]byte, 4<<10)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return err
	}
	head = head[:n]
	id := geminiSession.FindSubmatch(head)
	switch {
	case len(bytes.TrimSpace(head)) == 0:
		return errEmpty
	case id == nil || !geminiHash.Match(head):
		return errForeign
	}
	s.Agent, s.Session, s.Project = GeminiCLI, string(id[1]), geminiProject(s.Path)
	if at := geminiStart.FindSubmatch(head); at != nil {
		s.started = dialect.TextTime(at[1])
	}
	return nil
}

// geminiProject returns the project of a conversation, which newer versions store in a file next to
// the folder of conversations. Older versions store only a hash of it, for which geminiProject
// returns "".
func geminiProject(path string) string {
	chats := filepath.Dir(path)
	if geminiParent(path) != "" {
		chats = filepath.Dir(chats)
	}
	path = filepath.Join(filepath.Dir(chats), ".project_root")
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return "" // a link may lead to a file outside
	}
	text, err := readRegular(path, 4096)
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(text))
}

package agenthistory

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/google/uuid"

	"tapedeck/ingest"
)

// Named holds the session files of agents among files that a user names. Recording them uses the
// same streams as a run of sync, so that a transcript has one identity, regardless of which command
// records it.
type Named struct {
	syncer *Syncer
	byPath map[string]*Source
	Order  []string // the paths as the user named them, in the order in which they are to be recorded
}

// PlanNamed finds the session files of agents among paths. A file with lines of several sessions is
// not a session file, unless its name is a name that the agent gives to session files.
func (y *Syncer) PlanNamed(paths []string) *Named {
	n := &Named{syncer: y, byPath: map[string]*Source{}}
	named := map[*Source]string{}
	f := finder{}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		full, err := filepath.Abs(path)
		if err != nil || databaseAgent(full) != "" {
			continue
		}
		before := len(f.sources)
		f.file(full, info)
		for _, s := range f.sources[before:] {
			named[s] = path
		}
	}
	found := &Found{Sources: f.sources}
	y.Progress.Plan(found)
	var sources []*Source
	for _, s := range found.Sources {
		if (s.Pending() || s.State == StateStored || s.State == StateCopy) && s.ofOneSession() {
			n.byPath[named[s]] = s
			n.Order = append(n.Order, named[s])
			sources = append(sources, s)
		}
	}
	y.uploads.plan(sources)
	return n
}

// Source returns the source of a file, nil if the file is not a session of an agent.
func (n *Named) Source(path string) *Source {
	if n == nil {
		return nil
	}
	return n.byPath[path]
}

// Dialect returns the name of the dialect of a source.
func (s *Source) Dialect() string { return s.Agent.dialect() }

// StoredError reports that the whole content of a file is recorded already, or is contained in
// other recorded files.
type StoredError struct {
	Path, Session string
	Copy          bool
}

// Error implements error.
func (e *StoredError) Error() string {
	if e.Copy {
		return e.Path + ": all of its lines are in other files, and are recorded with those"
	}
	return e.Path + ": it is session " + e.Session + " already"
}

// Record records the new content of a source or, if again is set, all of its content. The error is
// a *StoredError if there is nothing to record. If ctx ends, the content that was read so far is
// recorded.
func (n *Named) Record(ctx context.Context, s *Source, again bool) (ingest.Summary, error) {
	y := n.syncer
	stored := &StoredError{Path: s.Path, Session: s.Session, Copy: s.State == StateCopy}
	if !s.Pending() && !again {
		return ingest.Summary{}, stored
	}
	c, err := y.Progress.scan(ctx, s, y.FrameLimit)
	if err != nil {
		return ingest.Summary{}, err
	}
	if again {
		c.next = 0
	}
	if c.onlyCopies() || c.nothingNew() {
		stored.Copy = c.onlyCopies()
		return ingest.Summary{}, errors.Join(y.settle(s, c, nil), stored)
	}
	if !again && y.uploads.has(ctx, s) {
		c.elsewhere, stored.Copy = true, false
		return ingest.Summary{}, errors.Join(y.settle(s, c, nil), stored)
	}
	r, err := y.record(ctx, s, c)
	if ingest.IsDeleted(err) {
		return ingest.Summary{}, errors.Join(err, y.settle(s, c, err))
	}
	if r == nil {
		return ingest.Summary{}, err
	}
	if err != nil && ctx.Err() != nil {
		err = nil // the next run records the rest
	}
	return r.summary, err
}

// sessionMember matches the session id in a line.
var sessionMember = regexp.MustCompile(`"sessionId"\s*:\s*"([^"\\]+)"`)

// ofOneSession reports whether a file is the transcript of one session: its name is that of a
// session file, or all of its lines have the same session.
func (s *Source) ofOneSession() bool {
	name := filepath.Base(s.Path)
	switch {
	case s.kind != lines, formats[s.Agent] != nil && formats[s.Agent].named(s.Path),
		s.Agent == ClaudeCode && uuid.Validate(strings.TrimSuffix(name, ".jsonl")) == nil,
		s.Agent == Codex && strings.HasPrefix(name, "rollout-"), s.Agent == GeminiCLI && isChat(s.Path):
		return true
	}
	f, err := openRegular(s.Path)
	if err != nil {
		return false
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	session := ""
	for {
		line, err := r.ReadSlice('\n') // a longer line is returned in pieces
		of := ""
		if s.Agent != Codex {
			if m := sessionMember.FindSubmatch(line); m != nil {
				of = string(m[1])
			}
		} else if bytes.Contains(line, []byte(`"session_meta"`)) {
			of = string(line)
		}
		switch {
		case of == "" || of == session:
		case session != "":
			return false
		default:
			session = of
		}
		if errors.Is(err, io.EOF) {
			return true
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return false
		}
	}
}

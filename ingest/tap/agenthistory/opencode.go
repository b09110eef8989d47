package agenthistory

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/valyala/fastjson"
)

// storage collects the sessions in a storage folder of OpenCode: session/PROJECT/SESSION.json
// describes a session, message/SESSION/*.json the role of each message, and part/MESSAGE/*.json
// its contents. The ids of messages and parts rise with time.
func (f *finder) storage(dir string) {
	agent := OpenCode
	if f.agent == Kilo || f.agent == "" && parentDir(dir, 1) == "kilo" {
		agent = Kilo
	}
	projects := filepath.Join(dir, "session")
	parents := map[string]string{}
	from := len(f.sources)
	for _, project := range f.names(projects) {
		for _, name := range f.names(filepath.Join(projects, project)) {
			path := filepath.Join(projects, project, name)
			info, err := os.Stat(path)
			id, isJSON := strings.CutSuffix(name, ".json")
			if !isJSON || err != nil || !info.Mode().IsRegular() || f.known(info) || f.rows[string(agent)+" "+id] != nil {
				continue // newer versions leave the files of sessions that they moved to their database
			}
			s := &Source{Agent: agent, Path: path, Size: info.Size(), Modified: info.ModTime(), kind: tree,
				file: fileIDOf(info)}
			parent, err := s.openCodeHead(id, info.Size())
			if err != nil {
				f.skip(path, err)
				continue
			}
			parents[id] = parent
			f.addMessages(s, dir, id)
			if n := len(s.messages); n > 0 {
				s.writing = isWriting(&fileObjects{source: s}, &s.messages[n-1], s.Modified)
			}
			f.sources = append(f.sources, s)
		}
	}
	joinParents(f.sources[from:], parents)
}

// joinParents puts the sessions of OpenCode's sub-agents into the sessions that started them.
func joinParents(sources []*Source, parents map[string]string) {
	for _, s := range sources {
		for depth := 0; parents[s.Session] != "" && depth < depthLimit; depth++ {
			s.Session = parents[s.Session]
		}
	}
}

// fileObjects reads the files of a session.
type fileObjects struct {
	source *Source
	parser fastjson.Parser
}

func (o *fileObjects) session() *fastjson.Value { return o.load(o.source.Path) }

func (o *fileObjects) message(m *storedMessage) *fastjson.Value { return o.load(m.name) }

func (o *fileObjects) part(m *storedMessage, i int) *fastjson.Value { return o.load(m.parts[i]) }

func (o *fileObjects) load(path string) *fastjson.Value {
	text, err := readRegular(path, memberLimit)
	if err != nil {
		return nil
	}
	return parseObject(&o.parser, text)
}

// parseObject parses a JSON object. It returns nil for anything else.
func parseObject(p *fastjson.Parser, text []byte) *fastjson.Value {
	v, err := p.ParseBytes(text)
	if err != nil || v.Type() != fastjson.TypeObject {
		return nil
	}
	return v
}

// openCodeHead reads the session's own file, and returns the session that started it.
func (s *Source) openCodeHead(id string, size int64) (parent string, err error) {
	if size > memberLimit {
		return "", fmt.Errorf("it has %d bytes, more than %d: %w", size, memberLimit, errForeign)
	}
	text, err := readRegular(s.Path, memberLimit)
	if err != nil {
		return "", err
	}
	var info struct {
		Directory, ParentID string
		Time                struct{ Created int64 }
	}
	if err := json.Unmarshal(text, &info); err != nil {
		return "", fmt.Errorf("not a session of OpenCode (%w): %w", err, errForeign)
	}
	s.Head = Head{Session: id, Project: info.Directory, name: id, started: info.Time.Created * int64(time.Millisecond)}
	return info.ParentID, nil
}

// memberLimit bounds an object of a session, bytes.
const memberLimit = 64 << 20

// addMessages adds the messages of the session, each with its parts.
func (f *finder) addMessages(s *Source, dir, id string) {
	folder := filepath.Join(dir, "message", id)
	for _, name := range f.names(folder) {
		message, isJSON := strings.CutSuffix(name, ".json")
		m := storedMessage{name: filepath.Join(folder, name)}
		if !isJSON || !s.counts(m.name) {
			continue
		}
		parts := filepath.Join(dir, "part", message)
		for _, part := range f.names(parts) {
			if path := filepath.Join(parts, part); strings.HasSuffix(part, ".json") && s.counts(path) {
				m.parts = append(m.parts, path)
			}
		}
		s.messages = append(s.messages, m)
	}
}

// counts adds a file's size and time to the source.
func (s *Source) counts(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > memberLimit {
		return false
	}
	s.Size += info.Size()
	if info.ModTime().After(s.Modified) {
		s.Modified = info.ModTime()
	}
	return true
}

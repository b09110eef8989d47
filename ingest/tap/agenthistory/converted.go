package agenthistory

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
)

// converter reads a file that an agent rewrites as a whole, and that is recorded as lines.
type converter struct {
	// head sets the head of a source from the beginning of its file.
	head func(s *Source, begin []byte) error
	// lines appends the lines to which the file at a path is converted.
	lines func(to []byte, text []byte, path string, file os.FileInfo) ([]byte, error)
	// untitled: the name of the file is no title of its session, which another file states.
	untitled bool
}

// converterOf returns the converter of a file and its agent, nil for none. agent is the agent of the
// folder, "" if it is not known.
func converterOf(path string, agent Agent) (*converter, Agent) {
	name := filepath.Base(path)
	switch {
	case (agent == "" || agent == Droid) && strings.HasSuffix(name, ".settings.json"):
		return droidSettings, Droid
	case (agent == "" || agent == Amp) && strings.HasPrefix(name, "T-") && strings.HasSuffix(name, ".json") && parentDir(path, 1) == "threads":
		return ampThread, Amp
	}
	return nil, agent
}

// errPart is the reason why a file is not read that an agent is writing.
var errPart = errors.New("the file is incomplete: its agent is writing it, or was ended while it wrote; the next sync reads it")

// convertedHead reads the head of a file that is converted.
func (s *Source) convertedHead() error {
	f, err := openRegular(s.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	begin := make([]byte, min(s.Size, headBytes))
	n, err := io.ReadFull(f, begin)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return err
	}
	if s.Size > memberLimit {
		return fmt.Errorf("it has %d bytes, more than %d: %w", s.Size, memberLimit, errForeign)
	}
	if len(bytes.TrimSpace(begin[:n])) == 0 {
		return errEmpty
	}
	s.Head = Head{name: filepath.Base(s.Path), started: oldest}
	return s.convert.head(s, begin[:n])
}

// openConverted returns the lines to which a file is converted.
func (s *Source) openConverted() (io.ReadCloser, error) {
	info, err := os.Stat(s.Path)
	if err != nil {
		return nil, &readError{err}
	}
	text, err := readRegular(s.Path, memberLimit)
	if err == nil {
		text, err = s.convert.lines(nil, text, s.Path, info)
	}
	if err != nil {
		return nil, &readError{err}
	}
	return io.NopCloser(bytes.NewReader(text)), nil
}

// appendLine appends a line with a type, a time and members. The values of members are JSON.
func appendLine(to []byte, typ string, at int64, members ...any) []byte {
	to = fmt.Appendf(to, `{"type":%q`, typ)
	if at > 0 {
		to = fmt.Appendf(to, `,"timestamp":%q`, time.Unix(0, at).UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	for i := 0; i < len(members); i += 2 {
		to = fmt.Appendf(to, ",%q:", members[i])
		var line bytes.Buffer
		if raw, ok := members[i+1].([]byte); !ok || json.Compact(&line, raw) != nil {
			line.Reset()
			line.WriteString("null")
		}
		to = append(to, line.Bytes()...)
	}
	return append(to, '}', '\n')
}

// droidSettings reads SESSION.settings.json of Droid, which states the tokens of a session. The
// messages are in SESSION.jsonl beside it.
var droidSettings = &converter{
	untitled: true,
	head: func(s *Source, begin []byte) error {
		if !bytes.Contains(begin, []byte(`"tokenUsage"`)) {
			return errEmpty
		}
		s.Session = strings.TrimSuffix(s.name, ".settings.json")
		if m := droidLock.FindSubmatch(begin); m != nil && dialect.TextTime(m[1]) != 0 {
			s.started = dialect.TextTime(m[1])
		}
		return nil
	},
	lines: func(to, text []byte, path string, file os.FileInfo) ([]byte, error) {
		var p fastjson.Parser
		v, err := p.ParseBytes(text)
		if err != nil {
			return nil, errPart
		}
		at := dialect.TextTime(v.GetStringBytes("providerLockTimestamp"))
		if at == 0 {
			at = cmp.Or(lastTime(strings.TrimSuffix(path, ".settings.json")+".jsonl"), file.ModTime().UnixNano())
		}
		return appendLine(to, "droid.settings", at, "settings", text), nil
	},
}

// lastTime returns the time of the last line with one in the last tailBytes of a file of lines, ns, or
// 0 if there is none.
func lastTime(path string) int64 {
	f, err := openRegular(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	text, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-tailBytes), tailBytes))
	if err != nil {
		return 0
	}
	lines := bytes.Split(text, []byte("\n"))
	for _, line := range slices.Backward(lines) {
		var p fastjson.Parser
		if v, err := p.ParseBytes(line); err == nil && v.Type() == fastjson.TypeObject {
			if at := timeOf(v); at != 0 {
				return at
			}
		}
	}
	return 0
}

// tailBytes is how much of the end of a file is searched for its last time.
const tailBytes = 4 << 20

var droidLock = regexp.MustCompile(`"providerLockTimestamp"\s*:\s*"([^"\\]+)"`)

// Members of a thread of Amp.
var (
	ampID      = regexp.MustCompile(`"id"\s*:\s*"(T-[^"\\]+)"`)
	ampCreated = regexp.MustCompile(`"created"\s*:\s*(\d+)`)
	ampTree    = regexp.MustCompile(`"uri"\s*:\s*"file://([^"\\]+)"`)
)

// ampThread reads threads/T-ID.json of Amp: a thread with its messages and, in earlier versions, a
// ledger of tokens.
var ampThread = &converter{
	head: func(s *Source, begin []byte) error {
		if !ampID.Match(begin) {
			return errForeign
		}
		s.Session = strings.TrimSuffix(s.name, ".json")
		if m := ampCreated.FindSubmatch(begin); m != nil {
			if ms, err := strconv.ParseInt(string(m[1]), 10, 64); err == nil {
				s.started = dialect.Milliseconds(uint64(ms))
			}
		}
		if m := ampTree.FindSubmatch(begin); m != nil {
			s.Project = string(m[1])
		}
		return nil
	},
	lines: ampLines,
}

// ampLines converts a thread: its other members first, then its messages, then its ledger. If there
// is a ledger, it states the tokens, and the messages how many of them are of a cache.
func ampLines(to, text []byte, _ string, _ os.FileInfo) ([]byte, error) {
	var p fastjson.Parser
	v, err := p.ParseBytes(text)
	if err != nil || v.Type() != fastjson.TypeObject {
		return nil, errPart
	}
	messages := v.GetArray("messages")
	events := v.GetArray("usageLedger", "events")
	head := fastjson.MustParse("{}")
	v.GetObject().Visit(func(key []byte, member *fastjson.Value) {
		if name := string(key); name != "messages" && name != "usageLedger" {
			head.Set(name, member)
		}
	})
	to = appendLine(to, "amp.thread", dialect.Milliseconds(v.GetUint64("created")), "thread", head.MarshalTo(nil))
	usages := map[int]*fastjson.Value{}
	counts := []byte(strconv.FormatBool(len(events) == 0))
	for _, m := range messages {
		at := dialect.TextTime(dialect.FirstText(m.Get("usage"), "timestamp"))
		if at == 0 {
			at = dialect.Milliseconds(m.GetUint64("meta", "sentAt"))
		}
		if usage := m.Get("usage"); usage != nil {
			usages[m.GetInt("messageId")] = usage
		}
		to = appendLine(to, "amp.message", at, "counts", counts, "message", m.MarshalTo(nil))
	}
	for _, e := range events {
		of := []byte("null")
		if usage := usages[e.GetInt("toMessageId")]; usage != nil && e.Exists("toMessageId") {
			of = usage.MarshalTo(nil)
			delete(usages, e.GetInt("toMessageId")) // several events of one message: its tokens of a cache count once
		}
		to = appendLine(to, "amp.usage", dialect.TextTime(e.GetStringBytes("timestamp")), "event", e.MarshalTo(nil), "usage", of)
	}
	return to, nil
}

package natstap

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/filelock"
)

// position stores on disk which messages became which frames. It consists of a state file and a log
// of the messages that were assigned since the state was written. A message is in the log before it
// is recorded. The methods may be called on a nil position, which stores nothing.
type position struct {
	path  string
	lock  *os.File
	log   *os.File
	write *bufio.Writer
	saved time.Time
	state state // as loaded
}

// state is the content of the state file.
type state struct {
	Version    int       `json:"version"`
	Generation uint64    `json:"generation"` // of the log that continues the state
	Created    time.Time `json:"created"`    // when the JetStream stream was created
	Last       uint64    `json:"last"`       // the highest number that was assigned
	LastAt     time.Time `json:"last_at"`    // when JetStream stored that message; zero if that is not known
	Opened     uint64    `json:"opened"`
	// Floor is the number up to which a consumer has acknowledged all messages. Done holds the
	// durable messages above it, as ranges of numbers.
	Floor   uint64        `json:"floor,omitempty"`
	Done    [][2]uint64   `json:"done,omitempty"`
	Sources []sourceState `json:"sources"`
}

type sourceState struct {
	Number   uint64         `json:"n"`
	Key      key            `json:"key"`
	Settled  ingest.Settled `json:"settled"`
	StreamID string         `json:"stream_id"`
	Durable  uint64         `json:"durable"` // all frames below are durable
	Attempt  uint64         `json:"attempt"`
	First    uint64         `json:"first"`
	Last     uint64         `json:"last"`
	Count    uint64         `json:"count"`
	Intact   bool           `json:"intact"`
	Pending  []pendingState `json:"pending,omitempty"`
}

type pendingState struct {
	Number uint64 `json:"q,omitempty"`
	Frames uint64 `json:"k"`
	Note   string `json:"note,omitempty"`
}

// entry is a line of the log.
type entry struct {
	Open   *sourceState  `json:"open,omitempty"`
	Assign *pendingState `json:"assign,omitempty"`
	To     uint64        `json:"to,omitempty"` // the number of the source that Assign refers to
}

const stateVersion = 1

// openPosition locks and loads the position of a recording; parts identify it.
func openPosition(dir string, parts ...string) (*position, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("directory for positions: %w", err)
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	p := &position{path: filepath.Join(dir, fmt.Sprintf("%x.json", sum[:12]))}
	var err error
	switch p.lock, err = filelock.Take(p.path + ".lock"); {
	case errors.Is(err, filelock.ErrHeld):
		return nil, fmt.Errorf("another process records this stream with this consumer already (its "+
			"position is %s): stop it, or name another --nats-consumer", p.path)
	case err != nil:
		return nil, fmt.Errorf("lock the position: %w", err)
	}
	if err := p.load(); err != nil {
		p.lock.Close()
		return nil, fmt.Errorf("position %s is not usable (%w): remove it to record the stream from its beginning",
			p.path, err)
	}
	return p, nil
}

// load reads the state and the log.
func (p *position) load() error {
	text, err := os.ReadFile(p.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, &p.state)
	}
	if err == nil && p.state.Version != stateVersion {
		err = fmt.Errorf("version %d, this program reads %d", p.state.Version, stateVersion)
	}
	if err != nil {
		return err
	}
	f, err := os.Open(p.logPath(p.state.Generation))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadBytes('\n')
		var e entry
		if err != nil || json.Unmarshal(line, &e) != nil {
			return nil // the last line may be incomplete; its message was not recorded
		}
		p.state.apply(&e)
	}
}

// apply adds an entry of the log.
func (s *state) apply(e *entry) {
	if e.Open != nil {
		s.Sources = append(s.Sources, *e.Open)
		s.Opened = max(s.Opened, e.Open.Number+1)
	}
	if e.Assign == nil {
		return
	}
	for i := len(s.Sources) - 1; i >= 0; i-- {
		of := &s.Sources[i]
		if of.Number != e.To {
			continue
		}
		of.Pending = append(of.Pending, *e.Assign)
		if q := e.Assign.Number; q == 0 {
			of.Intact = false
		} else {
			if of.Count == 0 {
				of.First, of.Intact = q, of.Durable == 0 && len(of.Pending) == 1
			} else if q < of.Last {
				of.Intact = false
			}
			of.Count++
			of.Last, s.Last = max(of.Last, q), max(s.Last, q)
		}
		return
	}
}

func (p *position) logPath(generation uint64) string {
	return fmt.Sprintf("%s.%d.log", strings.TrimSuffix(p.path, ".json"), generation)
}

// opened adds a source to the log.
func (p *position) opened(s *source) error {
	if p == nil {
		return nil
	}
	return p.add(&entry{Open: &sourceState{Number: s.number, Key: s.shown, StreamID: s.stream.ID()}})
}

// assigned adds a message to the log.
func (p *position) assigned(s *source, number, frames uint64) error {
	if p == nil {
		return nil
	}
	return p.add(&entry{Assign: &pendingState{Number: number, Frames: frames}, To: s.number})
}

// note adds a note to the log, and writes the log.
func (p *position) note(s *source, text string) error {
	if p == nil {
		return nil
	}
	if err := p.add(&entry{Assign: &pendingState{Frames: 1, Note: text}, To: s.number}); err != nil {
		return err
	}
	return p.flush()
}

func (p *position) add(e *entry) error {
	line, err := json.Marshal(e)
	if err == nil {
		_, err = p.write.Write(append(line, '\n'))
	}
	return logError(err)
}

// flush writes the entries to the log file. They survive the end of the process.
func (p *position) flush() error {
	if p == nil {
		return nil
	}
	return logError(p.write.Flush())
}

func logError(err error) error {
	if err != nil {
		return fmt.Errorf("write the log of the position: %w", err)
	}
	return nil
}

// save replaces the state and begins a new log.
func (p *position) save(s *state) error {
	s.Version, s.Generation = stateVersion, p.state.Generation+1
	err := p.replace(s)
	if err != nil {
		return fmt.Errorf("write the position %s: %w", p.path, err)
	}
	p.state.Generation, p.saved = s.Generation, time.Now()
	return nil
}

func (p *position) replace(s *state) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	log, err := os.OpenFile(p.logPath(s.Generation), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	next := p.path + ".next"
	if err = writeSynced(next, append(text, '\n')); err == nil {
		err = os.Rename(next, p.path)
	}
	if err != nil {
		log.Close()
		return err
	}
	if p.log != nil {
		p.log.Close()
	}
	_ = os.Remove(p.logPath(s.Generation - 1)) // it may be missing, and is not read again
	p.log, p.write = log, bufio.NewWriter(log)
	return nil
}

func writeSynced(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

func (p *position) close() {
	if p == nil {
		return
	}
	if p.log != nil {
		p.log.Close()
	}
	p.lock.Close()
}

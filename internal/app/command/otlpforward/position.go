package otlpforward

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"tapedeck/internal/app/command/endedsessions"
	"tapedeck/internal/filelock"
)

// position is the durable position of a forwarder: a file, locked while the forwarder runs.
type position struct {
	path string
	lock *os.File

	Version    int               `json:"position_version"`
	CompleteTo time.Time         `json:"complete_to"` // of endedsessions.Walk
	Sent       map[string]string `json:"sent"`        // sessions within endedsessions.Overlap: the form in which they were sent
	lastAt     map[string]time.Time
}

const positionVersion = 1

// openPosition opens the position in a file. A new one begins at a time.
func openPosition(path string, begin time.Time) (*position, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	lock, err := filelock.Take(path + ".lock")
	switch {
	case errors.Is(err, filelock.ErrHeld):
		return nil, fmt.Errorf("another \"tapedeck forward\" has the position %s: end it, or name another file with --state", path)
	case err != nil:
		return nil, fmt.Errorf("lock the position: %w", err)
	}
	p := &position{path: path, lock: lock, Version: positionVersion, CompleteTo: begin, Sent: map[string]string{}, lastAt: map[string]time.Time{}}
	if err := p.read(); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return p, nil
}

func (p *position) read() error {
	text, err := os.ReadFile(p.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, p)
	}
	if err == nil && p.Version != positionVersion {
		err = fmt.Errorf("it has version %d, and this program knows version %d", p.Version, positionVersion)
	}
	if err != nil {
		return fmt.Errorf("the position %s is not readable: %w; remove it to begin again, or name another file with --state", p.path, err)
	}
	if p.Sent == nil {
		p.Sent = map[string]string{}
	}
	return nil
}

// isSent reports whether a session was sent in a form.
func (p *position) isSent(session, form string, lastAt time.Time) bool {
	p.lastAt[session] = lastAt
	return p.Sent[session] == form
}

// sent records that a session was sent.
func (p *position) sent(session, form string) error {
	p.Sent[session] = form
	return p.save()
}

// complete moves the position, and forgets the sessions that no walk sees again.
func (p *position) complete(to time.Time) error {
	p.CompleteTo = to
	maps.DeleteFunc(p.Sent, func(session, _ string) bool {
		at, seen := p.lastAt[session]
		return !seen || at.Before(to.Add(-endedsessions.Overlap))
	})
	clear(p.lastAt)
	return p.save()
}

// save replaces the file.
func (p *position) save() error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	next, err := os.OpenFile(p.path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = next.Write(append(text, '\n'))
	if err == nil {
		err = next.Sync()
	}
	if err = errors.Join(err, next.Close()); err != nil {
		return err
	}
	return os.Rename(next.Name(), p.path)
}

func (p *position) close() error { return p.lock.Close() }

package agenthistory

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"tapedeck/internal/filelock"
)

// Progress holds an entry for each recorded source, for one server and tenant.
type Progress struct {
	path   string
	header header
	lock   *os.File // nil for reading only

	mu      sync.Mutex // guards what follows
	file    *os.File   // nil for reading only
	written int        // lines of the file
	hold    bool
	held    [][]byte // lines that wait for Release
	streams map[string]*entry
	paths   map[string]*entry
	owned   *owners // nil until it is first used
}

// LockedError reports that another process records to the same server and tenant.
type LockedError struct{ Server, Tenant string }

// Error implements error.
func (e *LockedError) Error() string {
	return fmt.Sprintf(
		"another \"tapedeck sync\" records to %s for the tenant %s already, "+
			"or \"tapedeck record\" an agent's files: wait until it has ended, or end it",
		e.Server, e.Tenant,
	)
}

// ReadProgress reads the progress for a server and tenant without a lock. The result is for Plan
// only.
func ReadProgress(dir, server, tenant string) (*Progress, error) {
	p := newProgress(dir, server, tenant)
	return p, p.load()
}

// OpenProgress reads the progress under a lock, which Close releases. The error is a LockedError if
// another process holds the lock.
func OpenProgress(dir, server, tenant string) (*Progress, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("folder for the progress of sync: %w", err)
	}
	p := newProgress(dir, server, tenant)
	var err error
	switch p.lock, err = filelock.Take(p.path + ".lock"); {
	case errors.Is(err, filelock.ErrHeld):
		return nil, &LockedError{server, tenant}
	case err != nil:
		return nil, fmt.Errorf("lock the progress of sync: %w", err)
	}
	if err = p.load(); err == nil {
		err = p.compact()
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// NewProgress returns an empty progress that is not stored.
func NewProgress() *Progress { return newProgress("", "", "") }

func newProgress(dir, server, tenant string) *Progress {
	sum := sha256.Sum256([]byte(server + "\x00" + tenant))
	p := &Progress{path: filepath.Join(dir, fmt.Sprintf("%x.jsonl", sum[:8])),
		header: header{progressVersion, server, tenant}}
	p.clear()
	return p
}

func (p *Progress) clear() {
	p.streams, p.paths, p.owned = map[string]*entry{}, map[string]*entry{}, nil
}

// put sets the entry of a stream and of a path. The entry's lines are added to those that the
// stream owns.
func (p *Progress) put(e *entry) {
	if old := p.streams[e.Stream]; old != nil {
		e.Lines = append(old.Lines, e.Lines...)
		if p.paths[old.Path] == old {
			delete(p.paths, old.Path)
		}
	}
	p.streams[e.Stream] = e
	if old := p.paths[e.Path]; old == nil || old.Generation <= e.Generation || old.Session != e.Session {
		p.paths[e.Path] = e
	}
}

// owners returns the owners of lines. p.mu is held.
func (p *Progress) owners() *owners {
	if p.owned == nil {
		p.owned = &owners{map[string]uint32{}, map[uint64]uint32{}}
		for _, e := range p.streams {
			p.owned.claim(e.Stream, e.Lines)
		}
	}
	return p.owned
}

// Forget removes all entries, so that the next Plan finds all sources new.
func (p *Progress) Forget() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	return p.rewrite()
}

// Sample returns entries of different sessions, of those that were saved before a time: the latest
// ones, whose sources were written last, and then others that are spread evenly over the rest, with
// the oldest one.
func (p *Progress) Sample(latest, others int, before time.Time) []Recorded {
	all := p.sessions(before)
	list := slices.Clone(all[:min(latest, len(all))])
	rest := all[len(list):]
	others = min(others, len(rest))
	for i := range others {
		list = append(list, rest[(i+1)*len(rest)/others-1])
	}
	return list
}

// sessions returns an entry of each session that was saved before a time, those whose sources were
// written last first.
func (p *Progress) sessions(before time.Time) []Recorded {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := slices.DeleteFunc(slices.Collect(maps.Values(p.streams)), func(e *entry) bool {
		return e.Deleted || e.Frames == 0 || e.Saved >= before.Unix()
	})
	slices.SortFunc(all, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(b.Modified, a.Modified), cmp.Compare(a.Stream, b.Stream))
	})
	var list []Recorded
	listed := map[string]bool{}
	for _, e := range all {
		if !listed[e.Session] {
			listed[e.Session] = true
			list = append(list, Recorded{e.Stream, e.Session})
		}
	}
	return list
}

// Recorded names a stream and its session.
type Recorded struct{ Stream, Session string }

// Close releases the lock.
func (p *Progress) Close() error {
	var err error
	if p.file != nil {
		err = p.file.Close()
	}
	if p.lock != nil {
		err = errors.Join(err, p.lock.Close())
	}
	return err
}

package agenthistory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"sync"
	"time"
)

// Stored is a recording on the server.
type Stored struct {
	Stream string
	First  time.Time // arrival of its first frame
}

// LookUpMost is the number of digests that Options.Known is asked for at once, and lookUpBytes the
// bytes of the files that are read for them.
const (
	LookUpMost  = 100
	lookUpBytes = 256 << 20
)

// uploads looks up which new sources the server has already, many in one request.
type uploads struct {
	mu      sync.Mutex
	known   func(ctx context.Context, digests []string) map[string]Stored
	sources []*Source          // those that the server was not asked for yet, in the order in which they are recorded
	stored  map[*Source]Stored // the answers that were not used yet
}

// plan sets the sources that are about to be recorded, in their order.
func (u *uploads) plan(sources []*Source) {
	if u.known == nil {
		return
	}
	u.sources, u.stored = nil, map[*Source]Stored{}
	for _, s := range sources {
		if s.State == StateNew && s.kind != tree {
			u.sources = append(u.sources, s)
		}
	}
}

// has reports whether the server already has the bytes of a new source: from an upload, or from a
// file that was recorded with other options. A recording with the times of its arrival does not
// count.
func (u *uploads) has(ctx context.Context, s *Source) bool {
	if u.known == nil || s.State != StateNew || s.kind == tree {
		return false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	stored, asked := u.stored[s]
	for !asked {
		u.ask(ctx, s)
		stored, asked = u.stored[s]
	}
	delete(u.stored, s)
	return stored.Stream != "" && stored.Stream != s.streamID(0) &&
		stored.First.Sub(time.Unix(0, s.started)).Abs() < time.Second
}

// ask asks for the next sources, or for s if none are left.
func (u *uploads) ask(ctx context.Context, s *Source) {
	if len(u.sources) == 0 {
		u.sources = []*Source{s}
	}
	of := map[*Source]string{}
	var digests []string
	for left := int64(lookUpBytes); len(u.sources) > 0 && len(digests) < LookUpMost; u.sources = u.sources[1:] {
		next := u.sources[0]
		if left -= next.Size; left < 0 && len(of) > 0 {
			break
		}
		of[next] = ""
		if digest, ok := digestOf(next.Path); ok { // recording it reports the error
			of[next], digests = digest, append(digests, digest)
		}
	}
	found := map[string]Stored{}
	if len(digests) > 0 {
		found = u.known(ctx, digests)
	}
	for s, digest := range of {
		u.stored[s] = found[digest]
	}
}

// digestOf returns the SHA-256 of a file, in hexadecimal.
func digestOf(path string) (string, bool) {
	f, err := openRegular(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", false
	}
	return hex.EncodeToString(h.Sum(nil)), true
}

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
	sources []*Source          // in the order in which they are recorded
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
	if !asked {
		u.ask(ctx, s)
		stored = u.stored[s]
	}
	delete(u.stored, s)
	return stored.Stream != "" && stored.Stream != s.streamID(0) &&
		stored.First.Sub(time.Unix(0, s.started)).Abs() < time.Second
}

// ask asks for a source and those after it.
func (u *uploads) ask(ctx context.Context, s *Source) {
	of := map[*Source]string{}
	var digests []string
	left := int64(lookUpBytes)
	add := func(s *Source) {
		left -= s.Size
		if digest, ok := digestOf(s.Path); ok { // recording it reports the error
			of[s], digests = digest, append(digests, digest)
		}
	}
	add(s)
	after := false
	for _, next := range u.sources {
		if after && len(digests) < LookUpMost && next.Size <= left {
			add(next)
		}
		after = after || next == s
	}
	found := u.known(ctx, digests)
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

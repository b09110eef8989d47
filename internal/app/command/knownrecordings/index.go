package knownrecordings

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"os"
	"strconv"

	"tapedeck/ingest/tap/file"
	"tapedeck/query"
	"tapedeck/query/session/streamlist"
)

// aheadBytes is the number of bytes of following files that are read for one request.
const aheadBytes = 256 << 20

// Index finds the server's recordings of files that a command records one after another. One
// request asks for the digests of many files: the file that is looked up and the files after it.
type Index struct {
	server Server
	paths  []string       // in the order in which they are looked up
	at     map[string]int // index in paths
	// answers has the recordings that the server has named, by digest; nil for none.
	answers map[string]*streamlist.InSession
	reads   *bool // the token may read recordings; nil before the first request
	// Session, if set, is the session to record into: a recording counts only if it is in this one.
	Session string
}

// NewIndex returns an index of files, which are looked up in this order.
func NewIndex(server Server, paths []string) *Index {
	x := &Index{server: server, paths: paths, at: map[string]int{}, answers: map[string]*streamlist.InSession{}}
	for i, path := range paths {
		x.at[path] = i
	}
	return x
}

// LookUp returns a function that finds a recording of the bytes of a file with a digest. The
// function returns a *KnownError if there is one, and nil if there is none or the server does not
// answer. LookUp of a nil index returns nil.
func (x *Index) LookUp(ctx context.Context, path string) func(digest string) error {
	if x == nil {
		return nil
	}
	return func(digest string) error {
		known, err := x.find(ctx, digest, func() []string { return x.following(path) })
		switch {
		case errors.Is(err, errUnanswered):
			x.answers[digest] = nil
			return nil
		case err != nil:
			return err
		case known == nil, x.Session != "" && known.SessionID != x.Session:
			return ctx.Err()
		}
		return &KnownError{path, digest, *known}
	}
}

// find returns the recording of the bytes with a digest, nil if there is none. If it has to ask the
// server, it asks for the digests of next too.
func (x *Index) find(ctx context.Context, digest string, next func() []string) (*streamlist.InSession, error) {
	known, asked := x.answers[digest]
	if asked {
		return known, nil
	}
	err := x.ask(ctx, append([]string{digest}, next()...))
	if known, asked = x.answers[digest]; err == nil && !asked { // the answer was cut
		err = x.ask(ctx, []string{digest})
		known = x.answers[digest]
	}
	return known, err
}

// errUnanswered reports that the server did not answer. The files then count as unknown.
var errUnanswered = errors.New("the server did not answer")

// ask queries the server for digests.
func (x *Index) ask(ctx context.Context, digests []string) error {
	api, err := x.server()
	if err != nil {
		return err
	}
	asking, cancel := context.WithTimeout(ctx, lookUpTimeout)
	defer cancel()
	if x.reads == nil {
		may := mayRead(asking, api)
		x.reads = &may
	}
	limit := 1
	if len(digests) > 1 || x.Session != "" {
		limit = streamlist.Most
	}
	var page query.Page[streamlist.InSession]
	if *x.reads {
		if api.Get(asking, "v1/streams", url.Values{"digest": digests, "limit": {strconv.Itoa(limit)}}, &page) != nil {
			return cmp.Or(ctx.Err(), errUnanswered)
		}
	}
	for i := range page.Items {
		// The latest is listed first; one in the session itself counts before others.
		if s := &page.Items[i]; x.answers[s.Stream.Digest] == nil || s.SessionID == x.Session {
			x.answers[s.Stream.Digest] = s
		}
	}
	if len(page.Items) < limit || limit == 1 {
		for _, digest := range digests {
			if _, named := x.answers[digest]; !named {
				x.answers[digest] = nil
			}
		}
	}
	return nil
}

// following returns the digests of the files after a path, as many as fit into one request.
func (x *Index) following(path string) []string {
	i, ok := x.at[path]
	if !ok {
		return nil
	}
	var digests []string
	left := int64(aheadBytes)
	for _, next := range x.paths[i+1:] {
		info, err := os.Stat(next)
		if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
			continue // such a file is not looked up
		}
		if left -= info.Size(); left < 0 || len(digests) == streamlist.DigestsMost-1 {
			break
		}
		if digest, err := file.Digest(next); err == nil {
			digests = append(digests, digest)
		}
	}
	return digests
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/console"
	"tapedeck/internal/usage"
	"tapedeck/replay/tapefile"
)

// player is what plays a session by name: the server, or for a tape file this
// process.
type player struct {
	client  *apiclient.Client
	session string
	file    *notedFile // nil for a session of the server
	shut    func()
}

// isTape reports whether a user means a tape file: one that is there, or that is
// called so.
func isTape(name string) bool { return strings.HasSuffix(name, ".tape") || tapefile.IsTape(name) }

// player finds who plays what a user named: a tape file, of which session says
// which one is meant, or else a session of the server.
func (g *global) player(name, session string) (*player, error) {
	if !isTape(name) {
		if session != "" {
			return nil, usage.Errorf("--session goes with a tape file, and %q is none", name)
		}
		c, err := g.client()
		return &player{client: c, session: name, shut: func() {}}, err
	}
	f, err := tapefile.Open(name, tapefile.Options{})
	if err != nil {
		return nil, err
	}
	if session, err = oneSession(f, name, session); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err := f.Break(); err != nil {
		fmt.Fprintf(console.To(os.Stderr), "note     %s: %v\n", name, err)
	}
	noted := &notedFile{File: f}
	c, shut := playHere(noted)
	return &player{client: c, session: session, file: noted, shut: shut}, nil
}

// why gives the reason for which playing broke off: of a file what was found in it.
func (p *player) why(err error) error {
	if p.file == nil {
		return err
	}
	p.file.mu.Lock()
	defer p.file.mu.Unlock()
	if p.file.err != nil {
		return p.file.err
	}
	return err
}

func (p *player) close() {
	p.shut()
	if p.file != nil {
		_ = p.file.Close() // it was only read
	}
}

// oneSession settles which session of a file is meant.
func oneSession(f *tapefile.File, name, session string) (string, error) {
	ids := f.Sessions()
	switch {
	case len(ids) == 0:
		return "", fmt.Errorf("%s holds no session%s", name, because(f.Break()))
	case session == "" && len(ids) == 1:
		return ids[0], nil
	case session == "":
		return "", usage.Errorf("%s holds %s: name one with --session.\n%s", name, console.Count(len(ids), "session"), strings.Join(ids, "\n"))
	}
	for _, id := range ids {
		if id == session {
			return id, nil
		}
	}
	return "", usage.Errorf("%s holds no session %q. It holds:\n%s", name, session, strings.Join(ids, "\n"))
}

func because(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}

// fetchTape copies the records of a server's session to a tape. Bytes are checked as
// they come.
func fetchTape(ctx context.Context, c *apiclient.Client, w *tapefile.Writer, session string, see func(*tapefile.Record) error) error {
	path, err := pathOf(session, "tape")
	if err != nil {
		return err
	}
	body, err := c.Open(ctx, http.MethodGet, path, nil, tapefile.MediaType)
	if err != nil {
		return err
	}
	defer body.Close()
	return copyTape(w, body, see)
}

// copyTape copies the records of a tape, each after see has taken it.
func copyTape(w *tapefile.Writer, from io.Reader, see func(*tapefile.Record) error) error {
	s := tapefile.NewScanner(from)
	for {
		rec, err := s.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := see(rec); err != nil {
			return err
		}
		if err := w.Copy(rec); err != nil {
			return err
		}
	}
}

// Package tapecopy copies sessions of a server and of tape files to a tape.
package tapecopy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/play"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	"tapedeck/replay/tapefile"
)

// Copier copies sessions to one tape.
type Copier struct {
	to     *tapefile.Writer
	server func() (*apiclient.Client, error)
	// WithoutNotes leaves the notes of the sessions out.
	WithoutNotes bool
	// names maps each copied session to the number of the name that added it.
	names map[string]int
	added int
}

// New returns a copier to a tape. server returns the client of the server.
func New(to *tapefile.Writer, server func() (*apiclient.Client, error)) *Copier {
	return &Copier{to: to, server: server, names: map[string]int{}}
}

// Add copies all sessions of a tape file, or a session of the server. It refuses a session that an
// earlier name has added: a tape that contains a session twice would play every frame twice.
func (c *Copier) Add(ctx context.Context, name string) error {
	c.added++
	if play.IsTape(name) {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		return HintImport(name, c.copy(file))
	}
	if name == "" {
		return commandline.Errorf("name a session: \"tapedeck sessions\" lists those there are")
	}
	server, err := c.server()
	if err != nil {
		return err
	}
	body, err := server.Open(ctx, http.MethodGet, apiclient.SessionPath(name, "tape"), nil, tapefile.MediaType)
	if err != nil {
		return err
	}
	defer body.Close()
	return c.copy(body)
}

// copy copies the records of a tape. Their checksums are verified.
func (c *Copier) copy(from io.Reader) error {
	s := tapefile.NewScanner(from)
	for {
		rec, err := s.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := c.check(rec); err != nil {
			return err
		}
		if c.WithoutNotes && rec.Kind == tapefile.KindNotes {
			continue
		}
		if err := c.to.Copy(rec); err != nil {
			return err
		}
	}
}

// check refuses a record of a session that an earlier name has added.
func (c *Copier) check(r *tapefile.Record) error {
	if r.Kind == tapefile.KindIndex {
		return nil
	}
	if by, is := c.names[r.Session]; is && by != c.added {
		return commandline.Errorf("session %q is to be written twice: name it, or a file that holds it, once",
			r.Session)
	}
	c.names[r.Session] = c.added
	return nil
}

// WithoutNotes copies a tape to another one, without its notes.
func WithoutNotes(to io.Writer, from io.Reader) error {
	w, err := tapefile.NewWriter(to)
	if err != nil {
		return err
	}
	c := New(w, nil)
	c.WithoutNotes = true
	if err := c.copy(from); err != nil {
		return err
	}
	return w.Close()
}

// HintImport adds the hint that importing reads the beginning of a tape to the error for a
// truncated tape.
func HintImport(name string, err error) error {
	if !errors.Is(err, tapefile.ErrCut) {
		return err
	}
	return fmt.Errorf("%w\n\"tapedeck import %s\" takes in what comes before that, and it can be exported from the server then", err, console.FileWord(name))
}

// Open opens a tape file, or a temporary tape with a session of the server. done closes the tape.
func Open(ctx context.Context, name string, server func() (*apiclient.Client, error)) (f *tapefile.File, done func(), err error) {
	if play.IsTape(name) {
		f, err = tapefile.Open(name, tapefile.Options{})
		return f, func() { _ = f.Close() }, err
	}
	file, err := os.CreateTemp("", "tapedeck-*.tape")
	if err != nil {
		return nil, nil, err
	}
	defer os.Remove(file.Name()) // the file exists while it is open
	defer file.Close()
	w, err := tapefile.NewWriter(file)
	if err == nil {
		err = New(w, server).Add(ctx, name)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, nil, err
	}
	f, err = tapefile.Open(file.Name(), tapefile.Options{})
	return f, func() { _ = f.Close() }, err
}

// Package play plays a session that a command names: a session of a server, or one of a tape file,
// which this process serves to itself.
package play

import (
	"errors"
	"fmt"
	"strings"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	"tapedeck/replay/tapefile"
)

// Player is a session that can be played by name.
type Player struct {
	Client  *apiclient.Client // of the server, or of this process for a tape file
	Session string            // the session's id
	// Break reports where a tape file ends early, nil if it is complete.
	Break error

	path string      // path of the tape file; "" for a session of the server
	file *erringFile // nil for a session of the server
	shut func()
}

// IsTape reports whether a name means a tape file: an existing tape file, or a name with the
// extension of tape files.
func IsTape(name string) bool { return strings.HasSuffix(name, ".tape") || tapefile.IsTape(name) }

// Open returns the player for a name: a tape file, in which session selects a session, or a session
// of the server.
func Open(name, session string, server func() (*apiclient.Client, error)) (*Player, error) {
	if !IsTape(name) {
		if session != "" {
			return nil, commandline.Errorf("--session goes with a tape file, and %q is none", name)
		}
		c, err := server()
		return &Player{Client: c, Session: name, shut: func() {}}, err
	}
	f, err := tapefile.Open(name, tapefile.Options{})
	if err != nil {
		return nil, err
	}
	if session, err = OneSession(f, name, session); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	erring := &erringFile{File: f}
	c, shut := serveFile(erring)
	return &Player{Client: c, Session: session, Break: f.Break(), path: name, file: erring, shut: shut}, nil
}

// Reason returns why playing failed. For a tape file it is the error of reading the file.
func (p *Player) Reason(err error) error {
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

// Close ends the player.
func (p *Player) Close() {
	p.shut()
	if p.file != nil {
		_ = p.file.Close() // the file was only read
	}
}

// OneSession returns the selected session of a tape file; "" selects the only session.
func OneSession(f *tapefile.File, name, session string) (string, error) {
	ids := f.Sessions()
	switch {
	case len(ids) == 0:
		return "", fmt.Errorf("%s holds no session%s", name, because(f.Break()))
	case session == "" && len(ids) == 1:
		return ids[0], nil
	case session == "":
		return "", commandline.Errorf("%s holds %s: name one with --session.\n%s", name,
			console.Count(len(ids), "session"), strings.Join(ids, "\n"))
	}
	for _, id := range ids {
		if id == session {
			return id, nil
		}
	}
	return "", commandline.Errorf("%s holds no session %q. It holds:\n%s", name, session, strings.Join(ids, "\n"))
}

func because(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}

package statusline

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const (
	// askEvery is the minimum pause between two requests of a session's status lines to the server.
	askEvery = 5 * time.Second
	// keptFor is how long figures are shown after they were asked for.
	keptFor = 10 * time.Minute
	// removedAfter is when the file of a session is removed that no longer prints a status line.
	removedAfter = 24 * time.Hour
)

// Kept is a file with what a server answered last about a session. Status lines are printed from it, since a report may
// take longer than a status line may; a process in the background writes it anew.
type Kept struct {
	dir, path string
}

// NewKept returns the file for a session of a server, below the folder for the state of the commands. tenant is the
// tenant that is asked for, "" for that of the token.
func NewKept(state, server, tenant, session string) *Kept {
	dir := filepath.Join(state, "statusline")
	sum := sha256.Sum256([]byte(server + "\x00" + tenant + "\x00" + session))
	return &Kept{dir, filepath.Join(dir, fmt.Sprintf("%x.json", sum[:16]))}
}

// answered is the content of the file.
type answered struct {
	Recorded
	At time.Time `json:"at"`
}

// Read returns what the server answered last, and whether the caller should ask it again. ask is true for one
// caller within askEvery.
func (k *Kept) Read(now time.Time) (r *Recorded, ask bool) {
	r = &Recorded{Away: "asking the server"}
	info, err := os.Stat(k.path)
	if ask = err != nil || !within(now, info.ModTime(), askEvery); ask {
		ask = k.touch(now) == nil
	}
	text, err := os.ReadFile(k.path)
	var last answered
	if err != nil || json.Unmarshal(text, &last) != nil || !within(now, last.At, keptFor) {
		return r, ask
	}
	if y, m, d := last.At.In(now.Location()).Date(); y != now.Year() || m != now.Month() || d != now.Day() {
		last.Today = nil // the usage of yesterday
		if last.Away == "" {
			last.Away = r.Away
		}
	}
	return &last.Recorded, ask
}

// within reports whether a time was within d before now. A time after now is not: the clock was set
// back.
func within(now, at time.Time, d time.Duration) bool {
	age := now.Sub(at)
	return age >= 0 && age < d
}

// touch records that the server is being asked.
func (k *Kept) touch(now time.Time) error {
	err := os.Chtimes(k.path, now, now)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(k.path, nil, 0o600)
}

// Write keeps an answer, and removes the files of sessions that ended long ago.
func (k *Kept) Write(r *Recorded, now time.Time) error {
	text, err := json.Marshal(answered{*r, now})
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(k.dir, ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), k.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	list, err := os.ReadDir(k.dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > removedAfter {
			_ = os.Remove(filepath.Join(k.dir, e.Name())) // another process may have removed it
		}
	}
	return nil
}

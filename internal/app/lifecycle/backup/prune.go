package backup

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

// listFile is the name of the list of files, which ClickHouse writes last.
const listFile = ".backup"

// incompleteAge is the time without a change after which a backup without a list counts as
// interrupted.
const incompleteAge = 24 * time.Hour

// stored is a backup in a directory.
type stored struct {
	name string
	at   time.Time
	base string // "" for a full one
}

// fileName matches the name of a base in a list of files.
var fileName = regexp.MustCompile(`^File\('(.*)'\)$`)

// Prune removes backups from a directory. It keeps the latest backups and the backups that they
// continue. It removes interrupted backups after incompleteAge. It returns the names of the removed
// backups.
func Prune(dir string, keep int, dryRun bool) (removed []string, err error) {
	if keep < 1 {
		return nil, fmt.Errorf("--keep=%d: it must be 1 or more", keep)
	}
	whole, interrupted, err := scan(dir)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(whole, func(a, b stored) int { return b.at.Compare(a.at) })
	needed := map[string]bool{}
	for i := range min(keep, len(whole)) {
		for name := whole[i].name; name != "" && !needed[name]; {
			needed[name] = true
			at := slices.IndexFunc(whole, func(s stored) bool { return s.name == name })
			if at < 0 {
				return nil, fmt.Errorf("the backup %s continues %s, which is not in %s: nothing was removed",
					whole[i].name, name, dir)
			}
			name = whole[at].base
		}
	}
	for i := range whole {
		if !needed[whole[i].name] {
			removed = append(removed, whole[i].name)
		}
	}
	removed = append(removed, interrupted...)
	if dryRun {
		return removed, nil
	}
	for _, name := range removed {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return removed, fmt.Errorf("remove the backup %s: %w", name, err)
		}
	}
	return removed, nil
}

// scan returns the complete and the interrupted backups in a directory.
func scan(dir string) (whole []stored, interrupted []string, err error) {
	add := func(name string) error {
		if at, err := changed(filepath.Join(dir, name)); err == nil && time.Since(at) > incompleteAge {
			interrupted = append(interrupted, name)
		}
		return fs.SkipDir
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(filepath.Join(path, listFile))
		if errors.Is(err, fs.ErrNotExist) {
			// ClickHouse locks a backup while it writes it.
			if _, err := os.Stat(filepath.Join(path, ".lock")); err != nil {
				return nil
			}
			return add(name)
		}
		if err != nil {
			return err
		}
		s, err := parseList(text)
		// The disk was full.
		if malformed := (*xml.SyntaxError)(nil); errors.Is(err, io.EOF) || errors.As(err, &malformed) {
			return add(name)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(path, listFile), err)
		}
		s.name = name
		whole = append(whole, s)
		return fs.SkipDir
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read the backups: %w", err)
	}
	return whole, interrupted, nil
}

// changed returns when something in a directory was changed last. The time of the directory itself
// does not change while a backup in it is written.
func changed(dir string) (last time.Time, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
		return err
	})
	return last, err
}

// parseList reads the required fields of a list of files.
func parseList(text []byte) (s stored, err error) {
	var list struct {
		Timestamp string `xml:"timestamp"`
		Base      string `xml:"base_backup"`
	}
	if err := xml.Unmarshal(text, &list); err != nil {
		return s, err
	}
	if s.at, err = time.Parse(time.DateTime, list.Timestamp); err != nil {
		return s, fmt.Errorf("the time of the backup: %w", err)
	}
	if list.Base != "" {
		found := fileName.FindStringSubmatch(list.Base)
		if found == nil {
			return s, fmt.Errorf("its base %s is not in a directory of backups", list.Base)
		}
		s.base = found[1]
	}
	return s, nil
}

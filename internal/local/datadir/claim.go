package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"tapedeck/internal/commandline"
)

// MarkerFile is the name of the file that marks a directory as a data directory. Earlier versions
// did not write it; their directories are recognised by their contents.
const MarkerFile = "tapedeck-data"

const markerText = "This is a data directory of tapedeck. " +
	"Commands with --data write only to directories that hold this file, or that are empty.\n"

// Check returns an error if the directory at path is neither missing, nor empty, nor a data
// directory of tapedeck. It changes nothing.
func Check(path string) error {
	_, err := examine(path)
	return err
}

// Claim marks the directory at path as a data directory. It creates a missing directory, accessible
// only to its owner; it does not change the mode of an existing one. A directory with other
// contents stays unchanged, and the error is a commandline.Error that names some of the contents.
func Claim(path string) error {
	marked, err := examine(path)
	if marked || err != nil {
		return err
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("the data directory %s cannot be made (%w): name another one with --data", path, cause(err))
	}
	err = os.WriteFile(filepath.Join(path, MarkerFile), []byte(markerText), 0o600)
	if err != nil {
		return fmt.Errorf(
			"the data directory %s cannot be written to (%w): let this user write there, or name another one with --data",
			path, cause(err),
		)
	}
	return nil
}

// examine reports whether the directory at path has the marker. It returns the same errors as
// Check.
func examine(path string) (marked bool, err error) {
	entries, err := contents(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, fs.ErrPermission):
		return false, fmt.Errorf(
			"the data directory %s cannot be read (%w): let this user read and write it, or name another one with --data",
			path, cause(err),
		)
	case err != nil:
		return false, fmt.Errorf("the data directory %s cannot be read (%w): name another one with --data", path, cause(err))
	}
	if isFile(path, MarkerFile) {
		return true, nil
	}
	if len(entries) == 0 || holdsServers(path) || holdsParts(path, entries) {
		return false, nil
	}
	return false, commandline.Errorf(
		"%s is not a data directory of tapedeck, and holds other things (%s): name a new or an empty directory with --data",
		path, some(entries),
	)
}

// contents returns the names in a directory, without the folder lost+found of a new file system.
func contents(path string) ([]string, error) {
	list, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(list))
	for _, e := range list {
		if e.Name() != "lost+found" {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// holdsServers reports whether an earlier version ran local mode in a directory.
func holdsServers(path string) bool {
	return isFile(path, lockFile) && (isFile(path, "clickhouse/config.xml") || isDir(path, "nats/jetstream"))
}

// own are the names of the files, besides those of the servers, that earlier versions wrote into a
// data directory.
var own = []string{lockFile, runtimeFile, "nats-url", "admin-token", "spool", "backups"}

// roles are the folders of the Debian package in which services of one role keep their data.
var roles = []string{"ingest", "sink", "api"}

// holdsParts reports whether a directory contains nothing but what servers and operators put into
// data directories before there was a marker: the spool, the first administrator's token, backups
// to restore, and data directories of services with one role.
func holdsParts(path string, entries []string) bool {
	found := false
	for _, name := range entries {
		switch {
		case slices.Contains(roles, name):
			if !isDir(path, name) || Check(filepath.Join(path, name)) != nil {
				return false
			}
		case !slices.Contains(own, name),
			name == "spool" && !onlySpool(filepath.Join(path, name)),
			name == "backups" && !onlyBackups(filepath.Join(path, name)):
			return false
		}
		found = found || name != lockFile && name != runtimeFile
	}
	return found
}

// spoolFile matches the names of files in a spool.
var spoolFile = regexp.MustCompile(`^(lock|[0-9a-f]{16}\.(spool|refused|damaged))$`)

// onlySpool reports whether a directory holds nothing but files of a spool.
func onlySpool(path string) bool {
	names, err := contents(path)
	return err == nil && !slices.ContainsFunc(names, func(name string) bool { return !spoolFile.MatchString(name) })
}

// onlyBackups reports whether a directory holds nothing but backups, which may be in folders.
func onlyBackups(path string) bool {
	names, err := contents(path)
	return err == nil && !slices.ContainsFunc(names, func(name string) bool {
		at := filepath.Join(path, name)
		return !isDir(path, name) || !isFile(at, ".backup") && !holdsBackup(at)
	})
}

// holdsBackup reports whether a folder of a directory is a backup.
func holdsBackup(path string) bool {
	names, err := contents(path)
	return err == nil && slices.ContainsFunc(names, func(name string) bool { return isFile(path, name+"/.backup") })
}

func isFile(dir, name string) bool {
	info, err := os.Lstat(filepath.Join(dir, name))
	return err == nil && info.Mode().IsRegular()
}

func isDir(dir, name string) bool {
	info, err := os.Stat(filepath.Join(dir, name))
	return err == nil && info.IsDir()
}

// some returns the first names of a list as a text.
func some(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

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

// MarkerFile is the name of the file that marks a directory as a data directory. Directories of
// versions that wrote none are recognised by what they hold.
const MarkerFile = "tapedeck-data"

const markerText = "This is a data directory of tapedeck. Commands with --data write only to directories that hold this file, or that are empty.\n"

// Check returns an error if the directory at path is neither missing, nor empty, nor a data
// directory of tapedeck. It changes nothing.
func Check(path string) error {
	_, err := examine(path)
	return err
}

// Claim makes the directory at path, for its owner only, if it is missing, and marks it as a data
// directory. It does not change the mode of a directory that exists. A directory that holds other
// things is left as it is; the error then is a commandline.Error that names some of them.
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
		return fmt.Errorf("the data directory %s cannot be written to (%w): let this user write there, or name another one with --data", path, cause(err))
	}
	return nil
}

// examine reports whether the directory at path has the marker. The error is that of Check.
func examine(path string) (marked bool, err error) {
	entries, err := contents(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, fs.ErrPermission):
		return false, fmt.Errorf("the data directory %s cannot be read (%w): let this user read and write it, or name another one with --data", path, cause(err))
	case err != nil:
		return false, fmt.Errorf("the data directory %s cannot be read (%w): name another one with --data", path, cause(err))
	}
	if isFile(path, MarkerFile) {
		return true, nil
	}
	if len(entries) == 0 || holdsServers(path) || holdsParts(path, entries) {
		return false, nil
	}
	return false, commandline.Errorf("%s is not a data directory of tapedeck, and holds other things (%s): name a new or an empty directory with --data",
		path, some(entries))
}

// contents returns the names in a directory, without the folder that the file system of a new
// disk begins with.
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

// holdsServers recognises a directory in which an earlier version ran local mode.
func holdsServers(path string) bool {
	return isFile(path, lockFile) && (isFile(path, "clickhouse/config.xml") || isDir(path, "nats/jetstream"))
}

// own are the names of an earlier version's files in a data directory, besides those of its servers.
var own = []string{lockFile, runtimeFile, "nats-url", "admin-token", "spool", "backups"}

// roles are the folders of the Debian package in which services of one role keep their data.
var roles = []string{"ingest", "sink", "api"}

// holdsParts recognises a directory that holds nothing but what servers and operators put into data
// directories before there was a marker: the spool and the first administrator's token, backups to be
// restored, and data directories of services of one role.
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

// some returns the first names of a list as text.
func some(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

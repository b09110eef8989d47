package file

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
)

// recordEndings are the suffixes of the files in a folder that are recorded. A file that an
// argument names directly may have any suffix.
var recordEndings = []string{".jsonl", ".ndjson", ".json", ".sse", ".sse.txt", ".chunks.txt"}

// filesLimit bounds the number of files of one command.
const filesLimit = 100_000

// Source is one file to record, or the error for an argument that matches none.
type Source struct {
	Path string
	Err  error
}

// Sources are the files that a command names, without duplicates.
type Sources struct {
	List    []Source
	Several bool // false for just one file that an argument names directly
	LeftOut int  // files of folders with other suffixes
	NoFiles int  // entries of folders that are links to folders, broken links or special files
	seen    map[string]bool
}

// Expand returns the files that arguments name: files, folders with all files below them, and
// patterns, which the shell does not expand if they are quoted or match nothing. Links to files are
// followed. Links to folders below a folder are not, which avoids loops.
func Expand(args []string) (*Sources, error) {
	s := &Sources{Several: len(args) > 1, seen: map[string]bool{}}
	for _, arg := range args {
		if err := s.argument(arg); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Sources) argument(arg string) error {
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		s.Several = true
		return s.folder(arg)
	case err == nil || !strings.ContainsAny(arg, "*?["):
		return s.add(arg) // opening it reports a missing file
	}
	s.Several = true
	if strings.Contains(arg, "**") {
		return commandline.Errorf("%s: ** is not supported; name the folder, and everything below it is recorded", arg)
	}
	matches, err := filepath.Glob(arg)
	if err != nil {
		return commandline.Errorf("%s: invalid pattern: %v", arg, err)
	}
	if len(matches) == 0 {
		s.List = append(s.List, Source{arg, fmt.Errorf("%s: no file matches this pattern", arg)})
	}
	for _, path := range matches {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			err = s.folder(path)
			if err != nil {
				return err
			}
		} else if err := s.add(path); err != nil {
			return err
		}
	}
	return nil
}

// folder adds the files below a folder, in the order of their names. Hidden folders
// are skipped.
func (s *Sources) folder(root string) error {
	before := len(s.List)
	err := filepath.WalkDir(root+string(filepath.Separator), func(path string, entry fs.DirEntry, err error) error {
		path = filepath.Clean(path)
		switch {
		case err != nil:
			s.List = append(s.List, Source{path, err})
			return nil
		case entry.IsDir():
			if name := entry.Name(); path != filepath.Clean(root) && strings.HasPrefix(name, ".") {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := os.Stat(path) // follows links
		switch {
		case err != nil || !info.Mode().IsRegular():
			s.NoFiles++
			return nil
		case !recordable(path):
			s.LeftOut++
			return nil
		}
		return s.add(path)
	})
	if err == nil && len(s.List) == before {
		s.List = append(s.List, Source{root, fmt.Errorf("%s: no file in this folder has a name that ends in %s", root, strings.Join(recordEndings, ", "))})
	}
	return err
}

func recordable(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return slices.ContainsFunc(recordEndings, func(ending string) bool { return strings.HasSuffix(name, ending) })
}

// add adds a file, unless an earlier argument named the same file, even by another path.
func (s *Sources) add(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		real = path
	}
	if s.seen[real] {
		return nil
	}
	if len(s.List) >= filesLimit {
		return commandline.Errorf("there are more than %s files: record them by folder", console.Thousands(filesLimit))
	}
	s.seen[real] = true
	s.List = append(s.List, Source{Path: path})
	return nil
}
